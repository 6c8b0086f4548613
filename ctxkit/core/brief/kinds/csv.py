"""Values between commas, tabs, semicolons or bars: the columns, the rows that differ, an index of the rest."""

import csv
import re
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import HEAD, Document
from ctxkit.core.brief.grids.fields import names_of, number_of
from ctxkit.core.brief.grids.grid import Grid
from ctxkit.core.brief.grids.rows import Table, outlines
from ctxkit.core.brief.outline import Entry, Outline, quote
from ctxkit.core.limits import COLUMNS
from ctxkit.core.measure import plural

NAME = "csv"
TYPES: Sequence[str] = ("tsv",)
MARKS = ("\t", ",", ";", "|")
NAMED = {"csv": ",;\t|", "tsv": "\t", "tab": "\t", "psv": "|"}
SAMPLE = 200
"""Lines of the beginning that tell the delimiter."""
COMMENTS = 6
"""Lines of comment above the rows that are quoted."""
COLUMN = re.compile(r"[A-Za-z_][\w .()/%-]{0,40}")
"""The name of a column."""
FIELDS = 4
"""Cells between tabs from which on a row is one, whatever its last cell ends with."""
PREFACE = re.compile(r"#[^\n]*|@[A-Z]{2}\t[^\n]*")
"""A line of comment or of metadata above the rows, as in VCF, GTF, BED and SAM."""
PROSE = 60
"""Average characters of a cell from which on it may be sentences, not values."""


def sniff(document: Document) -> float:
    """Claim lines that have the same number of the same delimiter, quotes aside."""
    mark, width, share = _form(document)
    if not mark:
        return 0.0
    if document.suffix in NAMED and mark in NAMED[document.suffix]:
        return 0.97
    rows = _sample(document, mark)
    if len(rows) < 3 or (width == 2 and len(rows) < 5):
        return 0.0
    if mark in "\t," and _names_in_comment(document, mark, width):
        return 0.93
    if mark == "\t" and width >= FIELDS:
        return min(0.6 + 0.05 * width, 0.9) * share
    if mark == "|" and all(row[0] == row[-1] == "" for row in rows):
        return 0.0
    quoted = sum(f'"{mark}"' in line for line in _lines(document)) > len(rows) / 2
    ended = sum(row[-1].rstrip().endswith((".", "!", "?")) and " " in row[-1].strip() for row in rows)
    if ended > len(rows) / 2 and not quoted:
        return 0.0
    cells = [cell for row in rows for cell in row]
    long = sum(map(len, cells)) > PROSE * len(cells) and not quoted
    if mark in ",;" and (_is_loose(rows, width) or long):
        return 0.0
    if sum(cell.rstrip().endswith(("{", "}", "(", ")", "[", "]", ";")) for cell in cells) > len(rows) / 3:
        return 0.0
    return min(0.6 + 0.05 * width, 0.9) * share if mark != "|" else 0.7 * share


def _is_loose(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Tell whether the cells of a column begin with a blank now and then, as parts of sentences and of code do."""
    for column in zip(*(row for row in rows if len(row) == width), strict=True):
        blank = sum(cell[:1] == " " and bool(cell.strip()) for cell in column)
        if 0.1 < blank / len(column) < 0.9:
            return True
    return False


def _lines(document: Document) -> list[str]:
    lines = document.head.removeprefix("\ufeff").split("\n")[_preface(document) :]
    if document.lines.size > HEAD and len(lines) > 1:
        lines.pop()
    return [line.removesuffix("\r") for line in lines[:SAMPLE] if line.strip()]


def _preface(document: Document) -> int:
    """Return how many lines of comment stand above the rows."""
    count = 0
    for line in document.head.removeprefix("\ufeff").split("\n"):
        if not PREFACE.match(line):
            break
        count += 1
    return count


def _names_in_comment(document: Document, mark: str, width: int) -> list[str]:
    """Return the names of columns that the last line of comment holds, such as ``#CHROM``; none where it holds none."""
    count = _preface(document)
    if not count:
        return []
    last = document.lines.at(count).removeprefix("\ufeff").rstrip("\r").lstrip("#").strip(" ")
    names = last.split(mark)
    return names if len(names) == width and all(names) and len(set(names)) == width else []


def _form(document: Document) -> tuple[str, int, float]:
    """Return the delimiter, the columns and the share of rows that have as many; an empty one for none."""
    best = ("", 0, 0.0)
    for mark in NAMED.get(document.suffix, MARKS):
        rows = _sample(document, mark)
        if len(rows) < 2 or (document.lines.size > HEAD and len(rows) < 3):
            continue
        widths = [len(row) for row in rows]
        width = max(set(widths), key=lambda one: (widths.count(one), one))
        share = widths.count(width) / len(widths)
        if mark == "\t" and width >= FIELDS and share == 1:
            return mark, width, share  # other signs may stand as often in the cells between tabs
        if width > 1 and share >= 0.9 and (share, width) > (best[2], best[1]):
            best = (mark, width, share)
    return best if best[0] else _ragged(document)


def _ragged(document: Document) -> tuple[str, int, float]:
    """Return the same where rows leave out their last cells: by its name, or by a header of many names."""
    for mark in NAMED.get(document.suffix, ",\t;"):
        rows = _sample(document, mark)
        if len(rows) > 1 and len(rows[0]) > 1 and all(1 < len(row) <= len(rows[0]) for row in rows):
            if document.suffix in NAMED:
                return mark, len(rows[0]), 1.0
            named = len(set(rows[0])) == len(rows[0]) > 3 and all(map(COLUMN.fullmatch, rows[0]))
            if named and len(rows) > 5 and not any(f"{mark} " in line for line in _lines(document)):
                return mark, len(rows[0]), 0.8
    return "", 0, 0.0


def _sample(document: Document, mark: str) -> list[list[str]]:
    try:
        rows = list(csv.reader([f"{line}\n" for line in _lines(document)], delimiter=mark))
    except csv.Error:
        return []
    return [row for row in rows if row]


def outline(document: Document) -> Sequence[Outline] | None:
    """Return columns with types, ranges and values, the rows that differ, and where the others are."""
    mark = _form(document)[0] or (NAMED.get(document.suffix) or "\t" if document.forced == "tsv" else ",")[0]
    sample = _sample(document, mark)
    if not sample:
        return None
    width = max(map(len, sample), key=[len(row) for row in sample].count)
    if width > COLUMNS:
        return None
    names, above = _names_in_comment(document, mark, width), _preface(document)
    headed = not names and _is_header(sample)
    grid = Grid(list(names_of(names or (sample[0] if headed else ()), width)), above + headed or 0)
    broken = _read(document, mark, headed, grid)
    if not grid.rows:
        return None
    grid.last = document.lines.total
    notes = list(_notes(document, mark, above + 1 if headed else above if names else 0, broken))
    notes += _comments(document, above - bool(names))
    table = Table(grid, lambda line: next(csv.reader([line], delimiter=mark), []), notes)
    return outlines(NAME, [table], (), document)


def _is_header(sample: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row names columns: no number in it, no name twice, and unlike what follows."""
    first, rest = sample[0], sample[1:]
    if not rest or any(number_of(cell.strip()) is not None for cell in first) or not any(first):
        return False
    if len({cell for cell in first if cell}) < sum(map(bool, first)):
        return False
    columns = list(zip(*(row for row in rest if len(row) == len(first)), strict=True))
    if any(sum(number_of(cell.strip()) is not None for cell in column) * 2 > len(column) for column in columns):
        return True
    return not any(cell in column for cell, column in zip(first, columns, strict=False) if cell)


def _comments(document: Document, count: int) -> Iterator[Entry]:
    """Quote the first lines of comment above the rows and place them all."""
    if count > 0:
        few = tuple(quote(number, text, rank=8) for number, text in document.lines.numbered(1, min(count, COMMENTS)))
        yield Entry(f"{plural(count, 'line')} of comment above", 1, count, rank=2, children=few)


def _notes(document: Document, mark: str, header: int, broken: int) -> Iterator[Entry]:
    """Say how the rows are written; ``header`` is the line that names the columns, 0 for none."""
    first = header > _preface(document)
    name = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}.get(mark, mark)
    said = f"separated by {name}, {_naming(header, first=first)} the columns"
    yield Entry(said)
    if header:
        yield quote(header, document.lines.at(header).removeprefix("\ufeff"), rank=1)
    if broken:
        yield Entry("a quote opens here that nothing closes; rows after it are taken line by line", broken, broken)


def _naming(header: int, *, first: bool) -> str:
    return "no row names" if not header else "the first row names" if first else "the last comment names"


def _read(document: Document, mark: str, headed: bool, grid: Grid) -> int:
    """Take every row; return the line of a quote that is never closed, 0 for none."""
    number, broken, skip = 1 + _preface(document), 0, headed
    held = ""
    for block in document.lines.blocks(number):
        text = f"{held}\n{block}" if held else block
        first = number - (held.count("\n") + 1 if held else 0)
        number += block.count("\n") + 1
        if '"' not in text or broken:
            lines = text.split("\n")
            rows = [line.removesuffix("\r").split(mark) for line in lines]
            numbers: Sequence[int] = range(first, first + len(rows))
            held = ""
        else:
            rows, numbers, held = _quoted(text, mark, first)
            if len(held) > 1 << 20:
                broken, held = first + text.count("\n") - held.count("\n"), ""
        skip = _take(grid, rows, numbers, skip)
    if held:
        broken = broken or number - held.count("\n") - 1
        rows = [line.removesuffix("\r").split(mark) for line in held.split("\n")]
        _take(grid, rows, range(number - len(rows), number), skip)
    return broken


def _take(grid: Grid, rows: list[list[str]], numbers: Sequence[int], skip: bool) -> bool:
    """Hand rows that are not blank to the grid, the header aside; return whether it is still to come."""
    if not all(map(any, rows)):
        pairs = [(row, number) for row, number in zip(rows, numbers, strict=True) if any(row)]
        rows, numbers = [row for row, _ in pairs], [number for _, number in pairs]
    if not rows:
        return skip
    if numbers[0] == 1:
        rows[0][0] = rows[0][0].removeprefix("\ufeff")
    grid.take(rows[1:] if skip else rows, numbers[1:] if skip else numbers)
    return False


def _quoted(text: str, mark: str, first: int) -> tuple[list[list[str]], list[int], str]:
    """Return rows of text with quotes, the line each begins on, and what a quote still open leaves over."""
    lines = text.split("\n")
    reader = csv.reader([f"{line}\n" for line in lines], delimiter=mark)
    rows, numbers, before = [], [], 0
    try:
        for row in reader:
            rows.append(row)
            numbers.append(first + before)
            before = reader.line_num
    except csv.Error:
        return rows, numbers, "\n".join(lines[before:])
    if rows and rows[-1] and rows[-1][-1].endswith("\n"):
        begin = numbers.pop() - first
        rows.pop()
        return rows, numbers, "\n".join(lines[begin:])
    return rows, numbers, ""
