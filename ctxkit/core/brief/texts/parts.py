"""Parts of a text below their headings, with their terms or their opening lines."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.outline import Entry, clean_line, quote
from ctxkit.core.quick_dataclass import dataclass, field

OPENINGS = (160, 80, 0)
"""Numbers of characters quoted below each heading, for outlines of decreasing detail."""


@dataclass(slots=True)
class HeadingPart:
    """Hold one heading with its level, and the terms (options, commands, definitions) below it."""

    title: str
    level: int
    start: int
    end: int = 0
    terms: list[tuple[str, int]] = field(default_factory=list)
    opening: tuple[int, str] = (0, "")


def make_entries(parts: Sequence[HeadingPart], width: int) -> Iterator[tuple[int, Entry]]:
    """Yield the headings with their levels; deeper ones have a higher rank. Each has its terms or its first line."""
    levels = sorted({part.level for part in parts})
    for place, part in enumerate(parts):
        rank = levels.index(part.level)
        end = next((later.start - 1 for later in parts[place + 1 :] if later.level <= part.level), parts[-1].end)
        opens = width and part.opening[0] and not part.terms
        inner = [quote(*part.opening, rank=rank + 8, width=width)] if opens else []
        inner += _make_term_entries(part, rank + 4)
        title = clean_line(part.title, 120) or ("(before the first heading)" if len(parts) > 1 else "(no heading)")
        yield part.level, Entry(title, part.start, max(end, part.start), rank, children=tuple(inner))


def _make_term_entries(part: HeadingPart, rank: int) -> Iterator[Entry]:
    """Yield dense entries for the terms, each with lines up to the next term."""
    ends = [number - 1 for _, number in part.terms[1:]] + [part.end]
    for (term, number), end in zip(part.terms, ends, strict=False):
        yield Entry(clean_line(term, 60), number, max(end, number), rank, dense=True)
