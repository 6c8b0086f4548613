"""Delimited values (CSV, TSV and similar): the columns, unusual rows, and an index of the other rows."""

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from ctxkit.core.brief.document import HEAD_BYTES, Clues, InputDocument, read_spread_lines
from ctxkit.core.brief.grids.fields import name_columns, parse_amount
from ctxkit.core.brief.grids.grid import Grid
from ctxkit.core.brief.outline import Entry, Outline, quote
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.limits import COLUMNS
from ctxkit.core.text.quantity import pluralize

_PAIRS = (("[", "]"), ("(", ")"), ("{", "}"))
_ALIGNED = compile_lazily(r"\S {2,}\S")
"""Pattern of a cell with several columns of its own, aligned with blanks."""
NAME = "csv"
TYPES: Sequence[str] = ("tsv",)
CLUES = Clues((",", "\t", ";", "|"), unless_log=True)
_DELIMITERS = ("\t", ",", ";", "|")
_DELIMITERS_BY_SUFFIX = {"csv": ",;\t|", "tsv": "\t", "tab": "\t", "psv": "|"}
_SAMPLE = 200
"""Number of lines read to detect the delimiter."""
_COMMENTS = 6
"""Maximum number of comment lines quoted from above the rows."""
_COLUMN = compile_lazily(r"[A-Za-z_][\w .()/%-]{0,40}")
"""Pattern of a column name."""
_FIELDS = 4
"""Number of tab-separated cells from which a line counts as a row, even if it ends like a sentence."""
_PREFACE = compile_lazily(r"#[^\n]*|@[A-Z]{2}\t[^\n]*")
"""Pattern of a comment or metadata line above the rows, as in VCF, GTF, BED and SAM."""
_PROSE_CELL = 60
"""Average number of characters per cell above which the cells are probably sentences."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that the lines have a consistent number of delimiters outside quotes."""
    delimiter, width, share = _detect_delimiter(document)
    if not delimiter or document.begins_with_traceback:
        return 0.0
    if delimiter in _DELIMITERS_BY_SUFFIX.get(document.suffix, ""):
        return 0.97
    rows = _read_sample(document, delimiter)
    if not (_has_enough_rows(rows, width) and _fits_everywhere(document, delimiter, width, rows)):
        return 0.0
    if delimiter in "\t," and _read_names_in_comment(document, delimiter, width):
        return 0.93
    has_fields = delimiter == "\t" and width >= _FIELDS
    if not has_fields and _is_text(rows, delimiter, width, _read_sample_lines(document)):
        return 0.0
    return (min(0.6 + 0.05 * width, 0.9) if delimiter != "|" else 0.7) * share


def _has_enough_rows(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Return whether there are three rows, or five of two cells that are not keys and values (``/proc/1/status``)."""
    if width != 2:
        return len(rows) >= 3
    return len(rows) >= 5 and 2 * sum(row[0].endswith(":") for row in rows) <= len(rows)


def _is_text(rows: Sequence[Sequence[str]], delimiter: str, width: int, lines: Sequence[str]) -> bool:
    """Return whether cells are parts of sentences or of code; quotes around most of them are those of a table."""
    quoted = sum(f'"{delimiter}"' in line for line in lines) > len(rows) / 2
    if not quoted and _share(rows, _ends_sentence) > 0.5:
        return True
    cells = [cell for row in rows for cell in row]
    long = not quoted and sum(map(len, cells)) > _PROSE_CELL * len(cells)
    if delimiter in ",;" and (long or _is_loose(rows, width)):
        return True
    return sum(cell.rstrip().endswith(("{", "}", "(", ")", "[", "]", ";")) for cell in cells) > len(rows) / 3


def _ends_sentence(row: Sequence[str]) -> bool:
    return row[-1].rstrip().endswith((".", "!", "?")) and " " in row[-1].strip()


def _fits_everywhere(document: InputDocument, delimiter: str, width: int, rows: Sequence[Sequence[str]]) -> bool:
    """Return whether nine in ten lines of all parts of the document are rows; rows may omit their last cells."""
    if not are_rows(rows, delimiter, width):
        return False
    lines = [line for line in read_spread_lines(document) if line.strip() and not _PREFACE.match(line)]
    if document.head.count('"') > 2 or not lines:
        return True  # cells in quotes may contain line breaks
    widest = max(width, max(map(len, rows)))
    fitting = sum(1 < line.count(delimiter) + 1 <= widest for line in lines)
    exact = sum(line.count(delimiter) + 1 == width for line in lines)
    return fitting >= 0.9 * len(lines) and (exact >= 0.9 * len(lines) or _is_header(rows))


def _is_loose(rows: Sequence[Sequence[str]], width: int) -> bool:
    """Return whether some cells of a column begin with a blank and others do not, as in sentences and code."""
    for column in zip(*(row for row in rows if len(row) == width), strict=True):
        blank = sum(cell[:1] == " " and bool(cell.strip()) for cell in column)
        if 0.1 < blank / len(column) < 0.9:
            return True
    return False


def _read_sample_lines(document: InputDocument) -> list[str]:
    lines = document.head_lines[_count_comment_lines(document) :]
    return [line for line in lines[:_SAMPLE] if line.strip()]


def _count_comment_lines(document: InputDocument) -> int:
    """Return the number of comment lines above the rows."""
    count = 0
    for line in document.head.removeprefix("\ufeff").split("\n"):
        if not _PREFACE.match(line):
            break
        count += 1
    return count


def _count_lines_above(document: InputDocument, delimiter: str, width: int) -> int:
    """Return the number of lines above the rows: comments, or messages of the program, which have no cells."""
    count = _count_comment_lines(document)
    lines = document.head.removeprefix("\ufeff").split("\n")[: _COMMENTS + 1]
    if count or width < 2:
        return count
    rows = (place for place, line in enumerate(lines) if len(_split_row(line, delimiter)) > 1)
    first = next(rows, 0)
    return first if len(_split_row(lines[first], delimiter)) == width else 0


def _read_names_in_comment(document: InputDocument, delimiter: str, width: int) -> list[str]:
    """Return the column names in the last comment line, such as ``#CHROM``, or an empty list."""
    count = _count_comment_lines(document)
    if not count:
        return []
    last = document.lines.at(count).removeprefix("\ufeff").rstrip("\r").lstrip("#").strip(" ")
    names = last.split(delimiter)
    return names if len(names) == width and all(names) and len(set(names)) == width else []


def _detect_delimiter(document: InputDocument) -> tuple[str, int, float]:
    """Return the delimiter (maybe empty), the number of columns, and the share of rows that have this number."""
    best = ("", 0, 0.0)
    least = 3 if document.lines.size > HEAD_BYTES else 2
    for delimiter in _DELIMITERS_BY_SUFFIX.get(document.suffix, _DELIMITERS):
        rows = _read_sample(document, delimiter)
        if len(rows) < least:
            continue
        width, share = _find_common_width(rows)
        if delimiter == "\t" and width >= _FIELDS and share == 1:
            return delimiter, width, share  # other delimiters may be as regular within the cells between tabs
        if width > 1 and share >= 0.9 and (share, width) > (best[2], best[1]):
            best = (delimiter, width, share)
    return best if best[0] else _detect_ragged_rows(document)


def _find_common_width(rows: Sequence[Sequence[str]]) -> tuple[int, float]:
    """Return the number of cells of most rows, and the share of rows that have this number."""
    widths = [len(row) for row in rows]
    width = max(set(widths), key=lambda width: (widths.count(width), width))
    return width, widths.count(width) / len(widths)


def _detect_ragged_rows(document: InputDocument) -> tuple[str, int, float]:
    """Detect the format of rows that omit their last cells, by the file's suffix or by a header of many names."""
    for delimiter in _DELIMITERS_BY_SUFFIX.get(document.suffix, ",\t;"):
        rows = _read_sample(document, delimiter)
        if len(rows) > 1 and len(rows[0]) > 1 and all(1 < len(row) <= len(rows[0]) for row in rows):
            if document.suffix in _DELIMITERS_BY_SUFFIX:
                return delimiter, len(rows[0]), 1.0
            named = len(set(rows[0])) == len(rows[0]) > 3 and all(map(_COLUMN.fullmatch, rows[0]))
            if named and len(rows) > 5 and not any(f"{delimiter} " in line for line in _read_sample_lines(document)):
                return delimiter, len(rows[0]), 0.8
    return "", 0, 0.0


def _split_row(line: str, delimiter: str) -> list[str]:
    """Return the cells of one line; a carriage return within it is a blank."""
    return next(csv.reader([line.rstrip("\r").replace("\r", " ")], delimiter=delimiter), [])


def _read_sample(document: InputDocument, delimiter: str) -> list[list[str]]:
    try:
        rows = list(csv.reader([f"{line}\n" for line in _read_sample_lines(document)], delimiter=delimiter))
    except csv.Error:
        return []
    return [row for row in rows if row]


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the columns with types, ranges and values, the unusual rows, and an index of the others."""
    from ctxkit.core.brief.grids.grid import Table
    from ctxkit.core.brief.grids.table_outlines import build_table_outlines

    delimiter = _detect_delimiter(document)[0] or _find_usual_delimiter(document)
    sample = _read_sample(document, delimiter)
    if not sample:
        return None
    width = max(map(len, sample), key=[len(row) for row in sample].count)
    if width > COLUMNS:
        return None
    names, above = _read_names_in_comment(document, delimiter, width), _count_lines_above(document, delimiter, width)
    sample = sample[above - _count_comment_lines(document) :]
    headed = not names and _is_header(sample)
    grid = Grid(list(name_columns(names or (sample[0] if headed else ()), width)), above + headed or 0)
    broken = _read_rows(document, delimiter, above, grid, headed=headed)
    if not grid.rows:
        return None
    grid.last = document.lines.total
    header = above + 1 if headed else above if names else 0
    notes = list(_describe_rows(document, delimiter, header, broken, first=headed))
    notes += _quote_lines_above(document, above - bool(names))
    table = Table(grid, lambda line: _split_row(line, delimiter), notes)
    return build_table_outlines(NAME, [table], (), document)


def _find_usual_delimiter(document: InputDocument) -> str:
    """Return the delimiter of the type that the caller states, or a comma."""
    return (_DELIMITERS_BY_SUFFIX.get(document.suffix) or "\t")[0] if document.content_type == "tsv" else ","


def _is_header(sample: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row names the columns: no numbers, no duplicates, and unlike the rows below it."""
    first, rest = sample[0], sample[1:]
    if not rest or any(parse_amount(cell.strip()) is not None for cell in first) or not any(first):
        return False
    if len({cell for cell in first if cell}) < sum(map(bool, first)):
        return False
    columns = list(zip(*(row for row in rest if len(row) == len(first)), strict=True))
    if any(sum(parse_amount(cell.strip()) is not None for cell in column) * 2 > len(column) for column in columns):
        return True
    return not any(cell in column for cell, column in zip(first, columns, strict=False) if cell)


def _quote_lines_above(document: InputDocument, count: int) -> Iterator[Entry]:
    """Yield an entry that quotes the first lines above the rows and gives the range of all of them."""
    if count > 0:
        few = tuple(
            quote(number, text, rank=8) for number, text in document.lines.enumerate_lines(1, min(count, _COMMENTS))
        )
        noun = "of comment above" if _count_comment_lines(document) else "above the rows"
        yield Entry(f"{pluralize(count, 'line')} {noun}", 1, count, rank=2, children=few)


def _describe_rows(
    document: InputDocument, delimiter: str, header: int, broken: int, *, first: bool
) -> Iterator[Entry]:
    """Yield entries on the format of the rows; ``header`` is the number of the line with column names, or 0."""
    name = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}.get(delimiter, delimiter)
    text = f"separated by {name}, {_describe_header(header, first=first)} the columns"
    yield Entry(text)
    if header:
        yield quote(header, document.lines.at(header).removeprefix("\ufeff"), rank=1)
    if broken:
        yield Entry("a quote opens here that nothing closes; rows after it are taken line by line", broken, broken)


def _describe_header(header: int, *, first: bool) -> str:
    return "no row names" if not header else "the first row names" if first else "the last comment names"


def _read_rows(document: InputDocument, delimiter: str, above: int, grid: Grid, *, headed: bool) -> int:
    """Read all rows below the lines ``above`` into the grid; return the line number of an unclosed quote, or 0."""
    number, broken, skip = 1 + above, 0, headed
    remainder = ""
    for block in document.lines.blocks(number):
        text = f"{remainder}\n{block}" if remainder else block
        first = number - (remainder.count("\n") + 1 if remainder else 0)
        number += block.count("\n") + 1
        if '"' not in text or broken:
            lines = text.split("\n")
            rows = [line.removesuffix("\r").split(delimiter) for line in lines]
            numbers: Sequence[int] = range(first, first + len(rows))
            remainder = ""
        else:
            rows, numbers, remainder = _parse_quoted_rows(text, delimiter, first)
            if len(remainder) > 1 << 20:
                broken, remainder = first + text.count("\n") - remainder.count("\n"), ""
        skip = _add_rows(grid, rows, numbers, skip)
    if remainder:
        broken = broken or number - remainder.count("\n") - 1
        rows = [line.removesuffix("\r").split(delimiter) for line in remainder.split("\n")]
        _add_rows(grid, rows, range(number - len(rows), number), skip)
    return broken


def _add_rows(grid: Grid, rows: list[list[str]], numbers: Sequence[int], skip: bool) -> bool:
    """Add rows to the grid, without blank rows and the header; return whether the header is still to come."""
    if not all(map(any, rows)):
        pairs = [(row, number) for row, number in zip(rows, numbers, strict=True) if any(row)]
        rows, numbers = [row for row, _ in pairs], [number for _, number in pairs]
    if not rows:
        return skip
    if numbers[0] == 1:
        rows[0][0] = rows[0][0].removeprefix("\ufeff")
    grid.add_rows(rows[1:] if skip else rows, numbers[1:] if skip else numbers)
    return False


def _parse_quoted_rows(text: str, delimiter: str, first: int) -> tuple[list[list[str]], list[int], str]:
    """Return the rows of quoted text, the first line of each, and the text after a quote that is still open."""
    lines = text.split("\n")
    reader = csv.reader([f"{line}\n" for line in lines], delimiter=delimiter)
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


def are_rows(rows: Sequence[Sequence[str]], delimiter: str, width: int) -> bool:
    """Return whether cells look like cells of a table: they close their brackets and are not parts of sentences."""
    full = [row for row in rows if len(row) == width]
    if not full or _share(full, _has_open_bracket) > 1 / 3:
        return False
    signs_of_text = (delimiter == "|", width == 2, all(not row[-1].strip() for row in full))
    if sum(signs_of_text) > 1:
        return False
    if width > 2:
        return True
    if delimiter == "\t":
        return not (_are_numbered(full) or _is_indented(full) or _share(full, _has_aligned_cell) > 0.5)
    return delimiter != "," or not _are_clauses(full)


def _share(rows: Sequence[Sequence[str]], test: Callable[[Sequence[str]], bool]) -> float:
    return sum(map(test, rows)) / len(rows)


def _has_open_bracket(row: Sequence[str]) -> bool:
    return any(cell.count(begin) != cell.count(end) for cell in row for begin, end in _PAIRS)


def _has_aligned_cell(row: Sequence[str]) -> bool:
    return any(_ALIGNED.search(cell.strip()) for cell in row)


def _are_numbered(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first column counts lines, as ``cat -n`` does: indented, one after the other."""
    numbers = [int(row[0]) for row in rows if row[0].strip().isdecimal() and len(row[0]) < 20]
    steps = sum(after == before + 1 for before, after in pairwise(numbers))
    return len(numbers) > 0.9 * len(rows) and steps > 0.9 * (len(rows) - 1) and rows[0][0] != rows[0][0].lstrip()


def _is_indented(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first column is empty in most rows: then the delimiter indents text."""
    return sum(not row[0].strip() for row in rows) > 0.8 * len(rows)


def _are_clauses(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether two cells are clauses of a sentence: words before the comma and a blank after it."""
    spaced = sum(row[1][:1] == " " and " " in row[0].strip() for row in rows)
    return spaced > 0.5 * len(rows)
