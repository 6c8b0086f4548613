"""Dumps of bytes: regions of one byte, and the readable texts with their lines."""

from collections.abc import Iterator, Sequence

from ctxkit.core.brief.clues import Clues
from ctxkit.core.brief.detail_level import find_most_detail
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.brief.shapes.byte_rows import (
    FOLDED,
    OFFSET,
    ByteReader,
    ByteRegion,
    ReadableText,
    join_regions,
    match_row,
)
from ctxkit.core.brief.shapes.verbatim import keep_indentation
from ctxkit.core.text.quantity import pluralize

NAME = "hexdump"
TYPES: Sequence[str] = ("xxd",)
CLUES = Clues(("00000",), unless_log=True)
LEAST, SHARE = 8, 0.95
"""Minimum number of rows, and their minimum share of the lines."""
WIDTH = 100
MAX_LISTED, FEWEST, END = 300, 8, 2


def sniff(document: InputDocument) -> float:
    """Return the confidence that nearly all lines are offsets with bytes."""
    rows = document.head_lines
    rows = [row for row in rows if row.strip() and row != FOLDED and not OFFSET.fullmatch(row.strip())]
    count = sum(match_row(row) is not None for row in rows)
    return 0.97 if count >= LEAST and count >= SHARE * len(rows) else 0.0


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return an outline of the regions and the texts, or None if too many lines are not rows."""
    reader = ByteReader().add_lines(document.lines.enumerate_lines())
    if reader.rows < LEAST or reader.rows < SHARE * (reader.rows + reader.other_count):
        return None
    ordered = sorted(reader.texts, key=_rate_text)
    regions = Section("Regions", tuple(_list_regions(join_regions(reader.regions))), noun="regions")
    top = Section("", tuple(_summarize(reader, document)))
    end = Section("the end", tuple(_quote_end(document)), "lines", bare=True, covered=True)

    def build(number: int) -> Outline:
        """Return the outline with a number of texts."""
        shown = sorted(enumerate(ordered[:number]), key=lambda item: item[1].start)
        entries = tuple(
            Entry(f"{text.offset} {text.text[:WIDTH]}", text.start, text.end, 1 + place // 8) for place, text in shown
        )
        more = f"{number:,} of {reader.text_count:,}" if number < reader.text_count else f"{reader.text_count:,}"
        return Outline(NAME, (top, regions, Section(f"Texts ({more}), each after the offset of its row", entries), end))

    return [build(max(find_most_detail(build, len(ordered), document), min(len(ordered), FEWEST)))]


def _summarize(reader: ByteReader, document: InputDocument) -> Iterator[Entry]:
    folded = f", and {pluralize(reader.folded, 'line')} `*` for equal rows" if reader.folded else ""
    yield Entry(f"{pluralize(reader.size, 'byte')} in {pluralize(reader.rows, 'row')}{folded}", 1, document.lines.total)
    for number, text in document.lines.enumerate_lines(1, min(2, document.lines.total)):
        yield Entry(keep_indentation(text), number, number, verbatim=True)


def _list_regions(regions: Sequence[ByteRegion]) -> Iterator[Entry]:
    """Yield the regions in order, the longest first if space is short."""
    order = sorted(range(len(regions)), key=lambda at: -regions[at].size)[:MAX_LISTED]
    ranks = {at: 1 + place // 8 for place, at in enumerate(order)}
    for at in sorted(order):
        region = regions[at]
        what = "mixed bytes" if region.value < 0 else "zeros" if not region.value else f"bytes {region.value:02x}"
        yield Entry(f"{what} from {region.offset}", region.start, region.end, ranks[at])


def _rate_text(text: ReadableText) -> tuple[int, int]:
    """Return the order of a text: words first, then long ones."""
    letters = sum(sign.isalpha() or sign == " " for sign in text.text)
    return -(10 * letters // len(text.text)) if len(text.text) >= 8 else 0, -len(text.text)


def _quote_end(document: InputDocument) -> Iterator[Entry]:
    total = document.lines.total
    for number, text in document.lines.enumerate_lines(max(total - END + 1, 3)):
        yield Entry(keep_indentation(text), number, number, 4 if number < total else 0, verbatim=True)
