"""The range in the hint of a map: lines that the map itself does not show."""

from collections.abc import Collection, Iterator, Sequence

from ctxkit.core.brief.outline import Entry, Outline
from ctxkit.core.brief.render import AddFrame, Rendering, render_outline
from ctxkit.core.quick_dataclass import replace
from ctxkit.core.tokens.vocabulary import Tokenizer

RANGE_LINES = 120
"""Maximum number of lines in the range."""
FEW_SHARE = 0.2
"""Share of lines that are not quoted up to which a range is not worth reading."""
NEW_LINES, NEW_SHARE = 10, 0.5
"""Minimum number and share of lines that are not quoted in a better range."""


def offer_unquoted_range(rendering: Rendering, add_frame: AddFrame, count: Tokenizer, target: int) -> Rendering:
    """Return the rendering with another range in its hint if the map quotes most lines of the present one.

    The new range is that of the entry with the lowest rank of whose lines the map quotes at most half.
    """
    outline = rendering.outline
    if outline.example is None:
        return rendering
    quoted = rendering.find_quoted_lines()
    if _is_worth_reading(outline.example, quoted, 0, FEW_SHARE):
        return rendering
    ranges = (_cut_range(entry) for entry in sorted(_iter_ranges(outline), key=lambda entry: entry.rank))
    better = next((span for span in ranges if _is_worth_reading(span, quoted, NEW_LINES, NEW_SHARE)), None)
    if better is None:
        return rendering
    outline = replace(outline, example=better)
    text = render_outline(outline, add_frame, rendering.admitted)
    return replace(rendering, text=text, outline=outline) if count(text) <= target else rendering


def _is_worth_reading(span: tuple[int, int], quoted: Collection[int], lines: int, share: float) -> bool:
    """Return whether at least a number of lines of a range, and more than a share of them, are not quoted."""
    size = span[1] - span[0] + 1
    others = sum(number not in quoted for number in range(span[0], span[1] + 1))
    return others >= lines and others > share * size


def _cut_range(entry: Entry) -> tuple[int, int]:
    return entry.start, min(entry.end, entry.start + RANGE_LINES - 1)


def _iter_ranges(outline: Outline) -> Iterator[Entry]:
    """Yield the entries about several lines, those of a section before their children."""
    for section in outline.sections:
        if not section.bare:
            yield from _iter_entries(section.entries)


def _iter_entries(entries: Sequence[Entry]) -> Iterator[Entry]:
    for entry in entries:
        if entry.end > entry.start and not (entry.verbatim or entry.in_bytes):
            yield entry
        yield from _iter_entries(entry.children)
