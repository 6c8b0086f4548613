"""What a map says, row by row: quotations, ranges with their labels, and the rest of its own words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bench.claims import BARE, ENTRY, QUOTE, read_block

HEADER = re.compile(
    r"# .* \((?P<lines>[\d,]+) lines?, (?:(?P<size>[\d.,]+ [kKMG]?B|[\d,]+ bytes?), )?(?:about )?[\d,]+ tokens?\b.*"
)
KIND = re.compile(r"tokens?(?:, (?P<kind>[^()]+))?\): a map, not the content")
QUOTED = re.compile(r"; ([\d,]+) lines? quoted$")


@dataclass(frozen=True, slots=True)
class Statement:
    """Hold one row that is not a quotation.

    ``text`` is the row without bullet and range. ``start`` and ``end`` are the row's range, 0 without a range.
    ``parent_start`` and ``parent_end`` are the range of the row above that it is indented below. ``examples`` are
    the line numbers of the quotations below it, and ``previous`` is the quotation directly above it.
    """

    row: int
    section: str
    text: str
    start: int
    end: int
    parent_start: int
    parent_end: int
    examples: tuple[int, ...]
    previous: int


@dataclass(frozen=True, slots=True)
class MapText:
    """Hold a map's header, its statements and the numbers of the lines that it quotes."""

    header: str
    statements: tuple[Statement, ...]
    quoted_lines: frozenset[int]

    @property
    def kind(self) -> str:
        """Return the kind or language that the header claims, empty without one."""
        match = KIND.search(self.header)
        return (match["kind"] or "") if match else ""


@dataclass(frozen=True, slots=True)
class Row:
    """Hold one row of a map with its indentation; ``quoted`` is the number of the line that it quotes, or 0."""

    number: int
    indent: int
    text: str
    quoted: int
    section: str


def read_map(text: str) -> MapText:
    """Return what a map says; its last row, the hint, is left to others."""
    rows = list(_iter_rows(text))
    header = next((row for row in text.split("\n") if HEADER.match(row)), "")
    quoted = frozenset(row.quoted for row in rows if row.quoted)
    return MapText(header, tuple(_iter_statements([row for row in rows if row.text])), quoted)


def _iter_rows(text: str) -> Iterator[Row]:
    """Yield the rows below the header; rows of a verbatim block have no text, only the number of their line."""
    section, next_line, last_line = "", 1, 0
    rows = text.removesuffix("\n").split("\n")
    for number, row in enumerate(rows, start=1):
        block = read_block(rows, number - 1) if next_line > last_line else []
        if block:
            next_line, last_line = block[0][0], block[-1][0]
        bare = BARE.fullmatch(row)
        if next_line <= last_line:
            yield Row(number, 0, "", next_line, section)
            next_line += 1
        elif bare:
            section, next_line, last_line = row, int(bare[1]), int(bare[2] or bare[1])
        elif row.startswith("## "):
            section = row[3:]
            yield Row(number, -1, row[3:], 0, section)
        elif row.lstrip().startswith("- "):
            quote = QUOTE.match(row)
            yield Row(number, len(row) - len(row.lstrip()), row.lstrip()[2:], int(quote[1]) if quote else 0, section)


def _iter_statements(rows: list[Row]) -> Iterator[Statement]:
    """Yield the rows that are no quotations, each with the range that it lies in and the quotations below it."""
    above: list[tuple[int, int, int]] = []
    for index, row in enumerate(rows):
        above = [place for place in above if place[0] < row.indent]
        if row.quoted:
            continue
        start, end, label = _split_range(row.text)
        parent = above[-1][1:] if above else (0, 0)
        examples = tuple(_iter_examples(rows, index))
        previous = rows[index - 1].quoted if index else 0
        yield Statement(row.number, row.section, label, start, end, *parent, examples, previous)
        if start:
            above.append((row.indent, start, end))


def _split_range(text: str) -> tuple[int, int, str]:
    """Return the range that a row begins with, and the words behind it."""
    entry = ENTRY.match(f"- {text}")
    if not entry:
        return 0, 0, text
    return int(entry[1]), int(entry[2] or entry[1]), text[entry.end() - 2 :]


def _iter_examples(rows: list[Row], index: int) -> Iterator[int]:
    """Yield the lines that are quoted directly below a row, one level deeper."""
    for row in rows[index + 1 :]:
        if row.indent <= rows[index].indent:
            return
        if row.quoted:
            yield row.quoted
