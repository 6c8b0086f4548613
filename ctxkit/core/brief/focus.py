"""Lines and entries that match the caller's focus, moved to the front of an outline."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section, quote
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.measure import pluralize

FIRST_MATCHES, EARLY_MATCHES = 10, 40
"""Number of matching lines that precede everything else, and number that rank with the first entries."""
MAX_MATCHES = 500
"""Maximum number of matching lines that are stored; the others are given as a range."""
BEFORE, AFTER = 10, 30
"""Number of lines around the first match in the example command."""


@dataclass
class FocusMatches:
    """Collect lines that match equally well: their number, the first lines, and the number of the last line."""

    count: int = 0
    last: int = 0
    rows: list[tuple[int, str]] = field(default_factory=list)

    def add(self, number: int, text: str) -> None:
        """Add a line."""
        self.count += 1
        self.last = number
        if len(self.rows) < MAX_MATCHES:
            self.rows.append((number, text))


def apply_focus(outlines: Sequence[Outline], document: InputDocument) -> Sequence[Outline]:
    """Return outlines that begin with the lines that match the document's focus best.

    Lines with the exact focus match best, then lines with most of its words, in any letter case. The entries whose
    labels match best, such as a symbol or a failing test, rank with these lines and keep their places.
    """
    words = split_focus(document.focus)
    if not words:
        return outlines
    matches = _find_best_matches(document.lines, document.focus, words)
    section = _make_section(document.focus, matches)
    return [_add_focus_section(outline, section, words, matches, document) for outline in outlines]


def _add_focus_section(
    outline: Outline, section: Section, words: Sequence[str], matches: FocusMatches, document: InputDocument
) -> Outline:
    """Return an outline with ``section`` first, and with a lower rank for the entries that match best."""
    focus, top_entries = document.focus, [entry for section in outline.sections for entry in section.entries]
    level = max((_count_matches(entry.label, focus, words) for entry in _iter_entries(iter(top_entries))), default=0)
    if level:
        outline = replace(
            outline, sections=tuple(_raise_ranks(section, focus, words, level) for section in outline.sections)
        )
    example = _choose_example(outline.sections, matches, document) or outline.example
    return replace(outline, sections=(section, *outline.sections), example=example)


def split_focus(focus: str) -> tuple[str, ...]:
    """Return the words of a focus in lower case: long words, or else all words, or else its symbols."""
    words = re.findall(r"\w+", focus.lower())
    long = [word for word in words if len(word) > 2 or not word.isascii()]
    return tuple(dict.fromkeys(long or words or focus.split()))


def _count_matches(text: str, focus: str, words: Sequence[str]) -> int:
    """Return how well a text matches: the number of words in it, plus one for the exact focus."""
    low = text.lower()
    return sum(word in low for word in words) + (focus.strip().lower() in low)


def _find_best_matches(lines: IndexedLines, focus: str, words: Sequence[str]) -> FocusMatches:
    """Return the lines with the best match."""
    best_level, matches = 0, FocusMatches()
    for number, text in _find_lines_with_words(lines, words):
        level = _count_matches(text, focus, words)
        if level > best_level:
            best_level, matches = level, FocusMatches()
        if level == best_level:
            matches.add(number, text)
    return matches


def _find_lines_with_words(lines: IndexedLines, words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines with any of the words."""
    pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    number = 1
    for block in lines.blocks():
        at, counted = 0, 0
        while match := pattern.search(block, at):
            begin = block.rfind("\n", 0, match.start()) + 1
            end = block.find("\n", match.end())
            end = len(block) if end < 0 else end
            counted += block.count("\n", at, begin)
            yield number + counted, block[begin:end]
            at = end
        number += block.count("\n") + 1


def _make_section(focus: str, matches: FocusMatches) -> Section:
    """Return a section of the matching lines; the first lines rank before everything else."""
    focus_text = " ".join(focus.split())
    if not matches.count:
        return Section("", (Entry(f"no line holds a word of the focus: {focus_text}", rank=-1),))
    ranks = [-1] * FIRST_MATCHES + [0] * (EARLY_MATCHES - FIRST_MATCHES) + [4] * MAX_MATCHES
    rows = [quote(number, text, rank=rank) for (number, text), rank in zip(matches.rows, ranks, strict=False)]
    if matches.count > MAX_MATCHES:
        after = matches.rows[-1][0] + 1
        rows.append(Entry(pluralize(matches.count - MAX_MATCHES, "more matching line"), after, matches.last, -1))
    return Section(f"Focus: {focus_text}: {pluralize(matches.count, 'line')}", tuple(rows), noun="matching lines")


def _raise_ranks(section: Section, focus: str, words: Sequence[str], level: int) -> Section:
    if section.bare:  # its heading promises every line from the first to the last that is shown
        return section
    return replace(section, entries=tuple(_raise_rank(entry, focus, words, level) for entry in section.entries))


def _raise_rank(entry: Entry, focus: str, words: Sequence[str], level: int) -> Entry:
    """Return an entry with rank -1 if its label or a child matches at this level."""
    children = tuple(_raise_rank(child, focus, words, level) for child in entry.children)
    if _count_matches(entry.label, focus, words) >= level or any(child.rank < 0 for child in children):
        return replace(entry, children=children, rank=-1)
    return entry


def _choose_example(
    sections: Sequence[Section], matches: FocusMatches, document: InputDocument
) -> tuple[int, int] | None:
    """Return the range for the example command: that of a matching entry, or the lines around the first match."""
    for entry in _iter_entries(entry for section in sections for entry in section.entries):
        if entry.rank < 0 and not entry.in_bytes and not entry.verbatim and entry.start < entry.end < entry.start + 120:
            return entry.start, entry.end
    if not matches.rows:
        return None
    first = matches.rows[0][0]
    return max(first - BEFORE, 1), min(first + AFTER, document.lines.total)


def _iter_entries(entries: Iterator[Entry]) -> Iterator[Entry]:
    for entry in entries:
        yield from _iter_entries(iter(entry.children))
        yield entry
