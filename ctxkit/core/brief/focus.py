"""What the caller is looking for, moved to the front of a map."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ctxkit.core.brief.document import Document
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.lines import Lines
from ctxkit.core.measure import plural

FIRST, SOON = 10, 40
"""Matching lines that come before anything else, and those that come with what the map says first."""
KEPT = 500
"""Matching lines that are remembered; more of them are told as a range."""
BEFORE, AFTER = 10, 30
"""Lines around the first match that the hint shows."""


@dataclass
class Matches:
    """Collect lines that match equally well: how many, the first of them, the last one's number."""

    count: int = 0
    last: int = 0
    rows: list[tuple[int, str]] = field(default_factory=list)

    def add(self, number: int, text: str) -> None:
        """Take a line."""
        self.count += 1
        self.last = number
        if len(self.rows) < KEPT:
            self.rows.append((number, text))


def focused(outlines: Sequence[Outline], document: Document) -> Sequence[Outline]:
    """Return outlines that begin with the lines that match the document's focus best.

    Those that hold it as it stands match best, then those with most of its words, in any letter case. The entries
    whose label matches best, such as a symbol or a failing test, enter with them, each in its place.
    """
    words = _words(document.focus)
    if not words:
        return outlines
    found = _best(document.lines, document.focus, words)
    section = _section(document.focus, found)
    return [_begun(outline, section, words, found, document) for outline in outlines]


def _begun(
    outline: Outline, section: Section, words: Sequence[str], found: Matches, document: Document
) -> Outline:
    """Return an outline with a section before the others, and with the entries raised that match best."""
    focus, tops = document.focus, [entry for one in outline.sections for entry in one.entries]
    level = max((_level(entry.label, focus, words) for entry in _descending(iter(tops))), default=0)
    if level:
        outline = replace(outline, sections=tuple(_lifted(one, focus, words, level) for one in outline.sections))
    example = _example(outline.sections, found, document) or outline.example
    return replace(outline, sections=(section, *outline.sections), example=example)


def _words(focus: str) -> tuple[str, ...]:
    """Return the words of a focus in lower case, short ones only where there are no others, or its signs."""
    words = re.findall(r"\w+", focus.lower())
    long = [word for word in words if len(word) > 2 or not word.isascii()]
    return tuple(dict.fromkeys(long or words or focus.split()))


def _level(text: str, focus: str, words: Sequence[str]) -> int:
    """Return how well a text matches: the number of words it holds, one more where it holds them as they stand."""
    low = text.lower()
    return sum(word in low for word in words) + (focus.strip().lower() in low)


def _best(lines: Lines, focus: str, words: Sequence[str]) -> Matches:
    """Return the lines of the highest level there is."""
    best, found = 0, Matches()
    for number, text in _holding(lines, words):
        level = _level(text, focus, words)
        if level > best:
            best, found = level, Matches()
        if level == best:
            found.add(number, text)
    return found


def _holding(lines: Lines, words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that hold any of the words."""
    pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    number = 1
    for block in lines.blocks():
        at, counted = 0, 0
        while hit := pattern.search(block, at):
            begin = block.rfind("\n", 0, hit.start()) + 1
            end = block.find("\n", hit.end())
            end = len(block) if end < 0 else end
            counted += block.count("\n", at, begin)
            yield number + counted, block[begin:end]
            at = end
        number += block.count("\n") + 1


def _section(focus: str, found: Matches) -> Section:
    """Return the matching lines, the first ones before anything else in the map."""
    shown = " ".join(focus.split())
    if not found.count:
        return Section("", (Entry(f"no line holds a word of the focus: {shown}", rank=-1),))
    ranks = [-1] * FIRST + [0] * (SOON - FIRST) + [4] * KEPT
    rows = [quote(number, text, rank=rank) for (number, text), rank in zip(found.rows, ranks, strict=False)]
    if found.count > KEPT:
        after = found.rows[-1][0] + 1
        rows.append(Entry(plural(found.count - KEPT, "more matching line"), after, found.last, -1))
    return Section(f"Focus: {shown}: {plural(found.count, 'line')}", tuple(rows), noun="matching lines")


def _lifted(section: Section, focus: str, words: Sequence[str], level: int) -> Section:
    if section.bare:  # its heading promises every line from the first to the last that is shown
        return section
    return replace(section, entries=tuple(_raised(entry, focus, words, level) for entry in section.entries))


def _raised(entry: Entry, focus: str, words: Sequence[str], level: int) -> Entry:
    """Return an entry with the first rank where it, or one below it, matches that well."""
    children = tuple(_raised(child, focus, words, level) for child in entry.children)
    if _level(entry.label, focus, words) >= level or any(child.rank < 0 for child in children):
        return replace(entry, children=children, rank=-1)
    return entry


def _example(sections: Sequence[Section], found: Matches, document: Document) -> tuple[int, int] | None:
    """Return the range that the hint shows: what a matching entry covers, else what is around the first match."""
    for entry in _descending(entry for section in sections for entry in section.entries):
        if entry.rank < 0 and not entry.octets and not entry.verbatim and entry.start < entry.end < entry.start + 120:
            return entry.start, entry.end
    if not found.rows:
        return None
    first = found.rows[0][0]
    return max(first - BEFORE, 1), min(first + AFTER, document.lines.total)


def _descending(entries: Iterator[Entry]) -> Iterator[Entry]:
    for entry in entries:
        yield from _descending(iter(entry.children))
        yield entry
