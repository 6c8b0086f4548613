"""Minified or bundled source on a few very long lines: its landmarks by bytes."""

import re
from collections.abc import Iterator

from ctxkit.core.brief.code.minified_css import (
    RULE,
    RuleGroups,
    is_style_sheet,
    make_version_entries,
)
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.matches import iterate_matches
from ctxkit.core.text.measure import pluralize

MIN_MEAN_LENGTH = 500
"""Average line length in bytes above which content counts as minified; the parser uses the same limit."""
MIN_BYTES = 2_000
"""Minimum size in bytes of minified content."""
STYLE_BYTES = 20_000
"""Number of bytes read to detect a style sheet."""
MAX_SHOWN = 200
"""Maximum number of landmarks listed."""
LANDMARK = compile_lazily(
    rb"""["/cfe@!](?:(?<=/)(?P<banner>\*[!*]\s*+(?:[^\x00/]|/(?!\*)){3,4000}?\*/)
    |(?<=")(?P<module>(?:\.{1,2}/|webpack/|node_modules/)[^"\n]{1,200}"(?=:\s*(?:function\b|\()))
    |(?<=\bc)(?P<class>lass\ [A-Za-z_$][\w$]*)(?=[\s{])
    |(?<=\bf)(?P<function>unction\*?\ [A-Za-z_$][\w$]*)(?=\()
    |(?<=\be)(?P<export>xports\.[A-Za-z_$][\w$]*)(?=\s*=(?!=))
    |(?<=@)(?P<at>(?:media|keyframes|font-face|supports|layer)\b[^{};]{0,80})(?=\{)
    |(?<=!)(?P<methods>\w+(?:\ class)?\s+methodsFor:\s*'[^'\r\n]{0,80}')
    |(?<=/)(?P<source>/[\#@]\ sourceMappingURL=[^\s*]{1,120}))""",
    re.VERBOSE,
)
"""Pattern of landmarks that identify parts of a bundle.

It begins with the first character of each, and looks back at it: that is five times as fast to search.
"""
LONGEST_MATCH = 32_768
"""Maximum bytes of a landmark or of a rule with what is looked at after it."""
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
    if is_style_sheet(document.read(0, STYLE_BYTES)):
        return _build_style_outlines(document, kind)
    landmarks, count = _select_landmarks(document)
    if not landmarks:
        return None
    lines = document.lines.total
    size = document.lines.size // lines
    average = f"{pluralize(lines, 'line')}, {size:,} bytes each on average"
    description = f"minified or generated: {average}; bytes are counted from 1"
    note = Section("", (Entry(description),))
    rows = tuple(Entry(o.label, o.start, o.end, rank, in_bytes=True) for rank, o in landmarks)
    title = "Landmarks (heuristic: matched by pattern, not parsed), each with the bytes up to the next"
    left = f"; {count - len(rows):,} shorter ones left out" * (count > len(rows))
    return [Outline(kind, (note, Section(title + left, rows, "landmarks")), language)]


def _build_style_outlines(document: InputDocument, kind: str) -> list[Outline]:
    """Return outlines of the rules of a style sheet, in fewer and fewer groups."""
    groups = RuleGroups()
    for base, match in iterate_matches(RULE, document.lines.read, document.lines.size, LONGEST_MATCH):
        groups.add(base, match)
    counted = f"minified: {pluralize(document.lines.total, 'line')}, {pluralize(groups.count, 'rule')}"
    named = (Entry(f"@font-face of {', '.join(groups.fonts)}", rank=2),) if groups.fonts else ()
    versions = make_version_entries(document.lines.read, document.lines.size)
    top = Section("", (Entry(f"{counted}; bytes are counted from 1"), *versions, *named))
    numbers = (document.target // share for share in (30, 40, 50, 70, 120))
    return [
        Outline(kind, (top, Section("Rules", tuple(groups.make_entries(most)), noun="groups of rules")), "css")
        for most in numbers
    ]


def _select_landmarks(document: InputDocument) -> tuple[list[tuple[int, Landmark]], int]:
    """Return the landmarks that rank first, each with its rank, in order, and the number of all."""
    best: list[tuple[tuple[bool, int, int], Landmark]] = []
    count = 0
    for landmark in _find_landmarks(document):
        count += 1
        best.append(((landmark.kind not in LEADING_KINDS, landmark.start - landmark.end, landmark.start), landmark))
        if len(best) >= 10 * MAX_SHOWN:
            best = sorted(best)[:MAX_SHOWN]
    ranked = [landmark for _, landmark in sorted(best)[:MAX_SHOWN]]
    return sorted(enumerate(ranked), key=lambda item: item[1].start), count


def _find_landmarks(document: InputDocument) -> Iterator[Landmark]:
    """Yield the landmarks in order."""
    before: tuple[str, str, int] | None = None
    for base, match in iterate_matches(LANDMARK, document.lines.read, document.lines.size, LONGEST_MATCH):
        if before:
            yield Landmark(*before, max(base + match.start(), before[2]))
        label = clean_line(" ".join(match[0].decode("utf-8", "replace").strip('/*!" \n').split()), 80)
        before = (match.lastgroup or "", label, base + match.start() + 1)
    if before:
        yield Landmark(*before, document.lines.size)
