"""Tell minified code by its lines, and map minified style sheets by their rules."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.lines import iterate_matches
from ctxkit.core.text.quantity import pluralize

RULE = compile_lazily(rb"([^{};]{1,2000}+)\{(?:([^{}]{0,20000}+)\})?|[^{};]{0,2000}+[;}]|[^{};]{2000}")
"""Pattern of a rule with its declarations, the beginning of a block, the end of it or of a statement, or other text."""
_STYLE_SHEET = compile_lazily(
    rb"\s*+(?:@charset[^;]{1,80}+;)?(?:\s*+/\*(?:[^*]|\*(?!/)){0,4000}+\*/)?"
    rb"(?:\s*+(?:@[\w-]+[^{};]{0,200}+\{)?[^{};\"']{1,2000}+\{[^{}]{0,4000}+\}{1,2}){3}"
)
"""Pattern of the beginning of a style sheet: three rules after each other."""
_NAMES = compile_lazily(rb"font-family:\s*([^;}]{1,60})")
_VERSION = compile_lazily(rb"(?:[\"']|\bv)\d{1,5}\.\d{1,5}\.\d{1,5}[^;{}]{0,40}")
"""Pattern of a text with a version of three numbers."""
MAX_BYTES = 32_000_000
"""Maximum number of bytes searched for versions."""
_LONGEST_VERSION = 100
_MAX_FONTS = 40
MAX_GROUPS = 50_000
"""Maximum number of groups of rules that are stored."""
_MAX_VERSIONS, _BEFORE = 3, 40
_LABEL = 48
"""Maximum number of characters of a selector."""


class RuleGroup(NamedTuple):
    """Hold neighbouring rules with the bytes from ``start`` to ``end``, counted from 1.

    ``labels`` are their first different selectors or at-rules, and ``last`` is the last one.
    """

    labels: tuple[str, ...]
    last: str
    rules: int
    start: int
    end: int


class RuleGroups:
    """Collect the rules of a style sheet in order; of very many rules, neighbours are stored together."""

    def __init__(self) -> None:
        self.count = 0
        self.fonts: list[str] = []
        self._groups: list[RuleGroup] = []
        self._size = 1
        self._open: list[RuleGroup] = []
        self._open_count = 0

    def add(self, base: int, match: "re.Match[bytes]") -> None:
        """Add a match of ``RULE`` in a text that begins at the byte ``base``; the beginning of a block is no rule."""
        if match[2] is None:
            return
        label = _make_label(match[1], match[2])
        self.count += 1
        if label.startswith("@font-face ") and len(self.fonts) < _MAX_FONTS and label[11:] not in self.fonts:
            self.fonts.append(label[11:])
        self._open.append(RuleGroup((label,), label, 1, base + match.start() + 1, base + match.end()))
        self._open_count += 1
        if self._open_count == self._size:
            self._groups.append(_merge_groups(self._open))
            self._open, self._open_count = [], 0
        if len(self._groups) > MAX_GROUPS:
            self._size *= 2
            self._groups = [_merge_groups(self._groups[at : at + 2]) for at in range(0, len(self._groups), 2)]
            if self._groups[-1].rules < self._size:
                self._open = [self._groups.pop()]
                self._open_count = self._open[0].rules

    def make_entries(self, most: int) -> Iterator[Entry]:
        """Yield entries of up to ``most`` groups of neighbouring rules, each with its first and last selector."""
        groups = [*self._groups, *([_merge_groups(self._open)] if self._open else [])]
        size = max(-(-len(groups) // max(most, 1)), 1)
        for at in range(0, len(groups), size):
            group = _merge_groups(groups[at : at + size])
            text = ", ".join(group.labels) if len(group.labels) <= 3 else f"{group.labels[0]} to {group.last}"
            count = f" ({group.rules:,} rules)" if group.rules > 1 else ""
            yield Entry(f"{text}{count}", group.start, group.end, 10, in_bytes=True)


_MIN_MEAN_LENGTH = 500
"""Average line length in bytes above which content counts as minified; the parser uses the same limit."""
_MIN_BYTES = 2_000
"""Minimum size in bytes of minified content."""
STYLE_BYTES = 20_000
"""Number of bytes read to detect a style sheet."""
_LONGEST_MATCH = 32_768
"""Maximum bytes of a rule with what is looked at after it."""


def is_minified(document: InputDocument) -> bool:
    """Return whether the lines of a document are too long to read or to locate content."""
    return document.lines.size >= _MIN_BYTES and document.lines.size > _MIN_MEAN_LENGTH * max(document.lines.total, 1)


def build_minified_outlines(document: InputDocument, kind: str) -> list[Outline] | None:
    """Return outlines of a style sheet's rules, in fewer and fewer groups, or None for other content."""
    if not is_style_sheet(document.read(0, STYLE_BYTES)):
        return None
    groups = RuleGroups()
    for base, match in iterate_matches(RULE, document.lines.read, document.lines.size, _LONGEST_MATCH):
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


def _merge_groups(groups: Sequence[RuleGroup]) -> RuleGroup:
    labels = tuple(dict.fromkeys(label for group in groups for label in group.labels))[:4]
    return RuleGroup(labels, groups[-1].last, sum(group.rules for group in groups), groups[0].start, groups[-1].end)


def is_style_sheet(data: bytes) -> bool:
    """Return whether a text begins like a style sheet, with selectors and declarations only."""
    match = _STYLE_SHEET.match(data)
    return match is not None and match[0].count(b":") >= 3 and b"function" not in match[0] and b"=>" not in match[0]


def _make_label(selector: bytes, declarations: bytes) -> str:
    """Return the selector; for a font, also its name."""
    label = " ".join(selector.rpartition(b"*/")[2].decode("utf-8", "replace").split())
    family = _NAMES.search(declarations) if label.startswith("@font-face") else None
    if family:
        return f"{label} {family[1].decode('utf-8', 'replace').strip()}"
    return f"{label[:_LABEL]}..." if len(label) > _LABEL else label


def make_version_entries(read: Callable[[int, int], bytes], size: int) -> Iterator[Entry]:
    """Yield entries of the first texts with a version."""
    matches = iterate_matches(_VERSION, read, min(size, MAX_BYTES), _LONGEST_VERSION)
    for base, match in islice(matches, _MAX_VERSIONS):
        at = base + match.start()
        start = max(at - _BEFORE, 0)
        before = re.split(rb"[;{}]", read(start, at - start))[-1]
        text = " ".join((before + match[0]).decode("utf-8", "replace").split())
        yield Entry(f"version: {text}", at - len(before) + 1, base + match.end(), 1, in_bytes=True)
