"""Minified or bundled source on a few very long lines: its landmarks by bytes."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.brief.code.minified_css import (
    is_style_sheet,
    list_rules,
    make_rule_entries,
    make_version_entries,
)
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line
from ctxkit.core.text.measure import pluralize

MIN_MEAN_LENGTH = 500
"""Average line length in bytes above which content counts as minified; the parser uses the same limit."""
MIN_BYTES = 2_000
"""Minimum size in bytes of minified content."""
MAX_BYTES = 32_000_000
"""Maximum number of bytes searched."""
STYLE_BYTES = 20_000
"""Number of bytes read to detect a style sheet."""
MAX_LANDMARKS = 3_000
"""Maximum number of landmarks collected."""
MAX_SHOWN = 200
"""Maximum number of landmarks listed."""
LANDMARK = re.compile(
    rb"""(?P<banner>/\*[!*]\s*+(?:[^\x00/]|/(?!\*)){3,4000}?\*/)
    |(?P<module>"(?:\.{1,2}/|webpack/|node_modules/)[^"\n]{1,200}"(?=:\s*(?:function\b|\()))
    |\b(?P<class>class\ [A-Za-z_$][\w$]*)(?=[\s{])
    |\b(?P<function>function\*?\ [A-Za-z_$][\w$]*)(?=\()
    |(?P<export>\bexports\.[A-Za-z_$][\w$]*)(?=\s*=(?!=))
    |(?P<at>@(?:media|keyframes|font-face|supports|layer)\b[^{};]{0,80})(?=\{)
    |(?P<methods>!\w+(?:\ class)?\s+methodsFor:\s*'[^'\r\n]{0,80}')
    |(?P<source>//[\#@]\ sourceMappingURL=[^\s*]{1,120})""",
    re.VERBOSE,
)
"""Pattern of landmarks that identify parts of a bundle."""
LEADING_KINDS = ("banner", "source", "module", "methods")
"""Kinds of landmarks that rank first."""


class Landmark(NamedTuple):
    """Hold a landmark and its range of bytes up to the next one, counted from 1."""

    kind: str
    label: str
    start: int
    end: int


def is_minified(document: InputDocument) -> bool:
    """Return whether the lines of a document are too long to read or to locate content."""
    return document.lines.size >= MIN_BYTES and document.lines.size > MIN_MEAN_LENGTH * max(document.lines.total, 1)


def build_minified_outlines(document: InputDocument, kind: str, language: str) -> list[Outline] | None:
    """Return an outline of the landmarks by bytes, or None if there are none."""
    data = document.read(0, min(document.lines.size, MAX_BYTES))
    if is_style_sheet(data[:STYLE_BYTES]):
        return _build_style_outlines(data, document, kind)
    landmarks = list(_find_landmarks(data))
    if not landmarks:
        return None
    lines = document.lines.total
    size = document.lines.size // lines
    average = f"{pluralize(lines, 'line')}, {size:,} bytes each on average"
    description = f"minified or generated: {average}; bytes are counted from 1"
    note = Section("", (Entry(description),))
    ranked = sorted(landmarks, key=lambda landmark: (landmark.kind not in LEADING_KINDS, landmark.start - landmark.end))
    rank = {landmark.start: at for at, landmark in enumerate(ranked[:MAX_SHOWN])}
    rows = tuple(Entry(o.label, o.start, o.end, rank[o.start], in_bytes=True) for o in landmarks if o.start in rank)
    title = "Landmarks (heuristic: matched by pattern, not parsed), each with the bytes up to the next"
    left = f"; {len(landmarks) - len(rows):,} shorter ones left out" * (len(landmarks) > len(rows))
    return [Outline(kind, (note, Section(title + left, rows, "landmarks")), language)]


def _build_style_outlines(data: bytes, document: InputDocument, kind: str) -> list[Outline]:
    """Return outlines of the rules of a style sheet, in fewer and fewer groups."""
    rules = list(list_rules(data))
    counted = f"minified: {pluralize(document.lines.total, 'line')}, {pluralize(len(rules), 'rule')}"
    fonts = list(dict.fromkeys(rule.label[11:] for rule in rules if rule.label.startswith("@font-face ")))
    named = (Entry(f"@font-face of {', '.join(fonts[:40])}", rank=2),) if fonts else ()
    top = Section("", (Entry(f"{counted}; bytes are counted from 1"), *make_version_entries(data), *named))
    groups = (document.target // share for share in (30, 40, 50, 70, 120))
    return [
        Outline(kind, (top, Section("Rules", tuple(make_rule_entries(rules, most)), noun="groups of rules")), "css")
        for most in groups
    ]


def _find_landmarks(data: bytes) -> Iterator[Landmark]:
    """Yield the landmarks in order."""
    before: tuple[str, str, int] | None = None
    for number, match in enumerate(LANDMARK.finditer(data)):
        if number >= MAX_LANDMARKS:
            break
        if before:
            yield Landmark(*before, max(match.start(), before[2]))
        label = clean_line(" ".join(match[0].decode("utf-8", "replace").strip('/*!" \n').split()), 80)
        before = (match.lastgroup or "", label, match.start() + 1)
    if before:
        yield Landmark(*before, len(data))
