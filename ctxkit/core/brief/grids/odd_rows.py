"""The rows of a table that differ from the others, with the reasons."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from ctxkit.core.brief.data.anomalies import MIN_VALUES, RARE_SHARE, RARE_VALUE_SHARE, find_outlying_numbers
from ctxkit.core.brief.data.columns import NumberColumn
from ctxkit.core.brief.data.literals import quote_string
from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.grids.fields import Field
from ctxkit.core.brief.grids.grid import SplitCells, Table
from ctxkit.core.brief.outline import Entry, quote
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.severity import (
    ALARMING_STATE,
    ERROR_SIGN,
    MENTION,
    find_error_lines,
    is_error_line,
    rate_severity,
)

PATH = compile_lazily(r"\S*[/\\]\S*|\S+\.[A-Za-z]\w{0,3}")
"""Pattern of a path or an address, which may contain any word."""
_MIN_RARE_ROWS = 5
"""Number of rows up to which a value is rare, however small the table; for large tables, a share applies."""
VERSION = compile_lazily(r"(?:\d+:)?v?\d+(?:\.\w+){2,}|\d+(?:\.\d+)?[-+~]")
_COVERED = compile_lazily(r"\bcover(?:age|ed)?\b", re.IGNORECASE)
"""Pattern of the name of a column of coverage, where low numbers matter."""
_EXPONENT = compile_lazily(r"(?<!\d)(?<!\d\.)\d[\d.]*+e-\d\d")
_HASH = compile_lazily(r"[0-9a-f]{7,64}")
_CLOCK = compile_lazily(
    r"(?:(?:[A-Z][a-z]{2} ?\d{1,2}|\d{4}[-/]\d\d[-/]\d\d)(?:[T ]\d\d(?::\d\d){1,2}(?:\.\d+)?)?"
    r"|\d{1,4}(?::\d\d){1,2}(?:\.\d+)?)(?:Z| ?[+-]\d{4})?"
)
"""Pattern of a date or a time, of which most rows have their own."""
_MAX_STATE_VALUES = 40
"""Maximum number of distinct values of a state column."""
_MAX_ENUM_VALUES = 12
"""Maximum number of distinct values for a rare value to be an outlier without a usual value."""
_FULL_PERCENT = 90
"""Percentage from which a share is reported."""
_MAX_RARE_VALUES = 6
"""Maximum number of rare values reported for one column."""


@dataclass(frozen=True, slots=True)
class Outlier:
    """Describe an outlier in the rows at ``lines``; with a ``value``, ``count`` rows have it.

    ``weight`` orders outliers: a lower weight matters more.
    """

    text: str
    lines: tuple[int, ...]
    weight: int
    value: str = ""
    count: int = 1


_MAX_SEARCHED_BYTES = 64 << 20
"""Maximum size in bytes at which all rows with a rare value are looked up."""
_MAX_ALARMING_LINES = 24
"""Maximum number of lines listed for an alarming value."""
MAX_OTHER_LINES = 6
"""Maximum number of lines listed for another rare value."""
_MOST_WIDTH, _LEAST_WIDTH, _WIDTH_DIVISOR = 200, 80, 6
"""Limits of the characters of a quoted row, and the share of the target, as a divisor, that they may be as many as."""
MAX_ERROR_ROWS = 12
"""Maximum number of rows with error words, which are common if they are more."""


def list_odd_rows(table: Table, document: InputDocument) -> list[Entry]:
    """Return entries for the unusual rows with the reasons; each row is quoted once."""
    done: set[int] = set()
    outliers = find_outliers(table.grid.fields)
    value_lines = _find_value_lines(table, outliers, document)
    entries = [
        _make_outlier_entry(outlier, value_lines.get(outlier.value) or outlier.lines, document, done)
        for outlier in outliers
    ]
    return entries + list(_quote_error_rows(table, document, done))


def _make_outlier_entry(outlier: Outlier, lines: Sequence[int], document: InputDocument, done: set[int]) -> Entry:
    most = _MAX_ALARMING_LINES if outlier.weight == 0 else MAX_OTHER_LINES
    also = ", ".join(map(str, lines[1:most]))
    more = outlier.count - min(len(lines), most)
    label = outlier.text + (f"; also lines {also}" if also else "") + (f" and {more:,} more" if more > 0 else "")
    below = tuple(quote_lines(lines[: 3 if outlier.weight < 2 else 1], document, done))
    return Entry(label, lines[0], lines[0], 2 + outlier.weight, children=below)


def quote_lines(lines: Sequence[int], document: InputDocument, done: set[int]) -> Iterator[Entry]:
    """Yield quotations of lines that are not blank and not in ``done``, and add their numbers to it."""
    for line in lines:
        text = document.lines.at(line)
        if line not in done and text.strip():
            done.add(line)
            width = min(max(document.target // _WIDTH_DIVISOR, _LEAST_WIDTH), _MOST_WIDTH)
            yield quote(line, text, rank=3, width=width)


def _find_value_lines(table: Table, outliers: Sequence[Outlier], document: InputDocument) -> dict[str, list[int]]:
    """Return the lines of rows with each rare value, up to a maximum."""
    rare_values = {outlier.value for outlier in outliers if outlier.count > 1 and outlier.value}
    lines_by_value: dict[str, list[int]] = {}
    if not rare_values or document.lines.size > _MAX_SEARCHED_BYTES:
        return lines_by_value
    grid, number = table.grid, table.grid.first
    for block in document.lines.blocks(grid.first, grid.last):
        for value in rare_values:
            if value in block and len(lines_by_value.get(value, ())) < _MAX_ALARMING_LINES:
                hits = _find_rows_holding(block, value, table.cells)
                lines_by_value.setdefault(value, []).extend(number + row for row in hits)
        number += block.count("\n") + 1
    return {value: lines[:_MAX_ALARMING_LINES] for value, lines in lines_by_value.items()}


def _find_rows_holding(block: str, value: str, cells: SplitCells) -> Iterator[int]:
    """Yield the 0-based indexes of the rows in a block that have the value as a cell."""
    at, row, counted = block.find(value), 0, 0
    while at >= 0:
        begin, stop = block.rfind("\n", 0, at) + 1, block.find("\n", at)
        stop = len(block) if stop < 0 else stop
        row += block.count("\n", counted, begin)
        counted = begin
        if any(cell.strip() == value for cell in cells(block[begin:stop])):
            yield row
        at = block.find(value, stop)


def _quote_error_rows(table: Table, document: InputDocument, done: set[int]) -> Iterator[Entry]:
    """Yield an entry with the rows that have error words, or none if error words are common in the table."""
    grid = table.grid
    if document.lines.size > _MAX_SEARCHED_BYTES:
        return
    rows = []
    for row in find_error_lines(document.lines, grid.first, grid.last):
        if _states_error(table.cells(row[1])):
            rows.append(row)
        if len(rows) > MAX_ERROR_ROWS:
            return
    quotes = tuple(quote(line, text, rank=7) for line, text in rows if line not in done)
    if quotes:
        yield Entry("a cell reads as an error", rank=7, children=quotes)


def _states_error(cells: Sequence[str]) -> bool:
    """Return whether a cell states an error, not only mentions one inside a path, a name or a description."""
    return any(
        is_error_line(cell)
        and (rate_severity(cell) > MENTION or ERROR_SIGN.match(cell))
        and not PATH.fullmatch(cell)
        for cell in map(str.strip, cells)
        if cell
    )


def find_outliers(fields: Sequence[Field]) -> list[Outlier]:
    """Return the outliers of a table, the most important first."""
    outliers = [stray for field in fields for stray in _find_in_field(field)]
    return sorted(outliers, key=lambda stray: stray.weight)


def _find_in_field(field: Field) -> Iterator[Outlier]:
    yield from _find_type_outliers(field)
    yield from _find_rare_values(field)
    yield from _find_number_outliers(field)
    yield from _find_repeated_ids(field)
    if field.texts is not None:
        for length, row, usual in find_outlying_numbers(field.texts.lengths):
            if length > 200 and length >= field.texts.lengths.highest[0][0]:
                yield Outlier(f"{field.name} has {length:,} characters; most have {usual}", (row,), 5)
                return


def _find_repeated_ids(field: Field) -> Iterator[Outlier]:
    """Yield ids that occur in a second row."""
    if field.texts is not None:
        for value, first, row in field.texts.duplicates.find_duplicate_ids(
            field.name, field.texts.low, field.texts.high
        ):
            yield Outlier(f"{field.name} is {quote_string(value, 60)} a second time, first on line {first}", (row,), 1)
    column = field.numbers
    if column is not None and column.is_integer and column.lowest and field.is_plain:
        for value, first, row in column.duplicates.find_duplicate_ids(
            field.name, column.lowest[0][0], column.highest[0][0]
        ):
            yield Outlier(f"{field.name} is {value} a second time, first on line {first}", (row,), 1)


def _find_type_outliers(field: Field) -> Iterator[Outlier]:
    """Yield rare types: text among numbers, numbers among text, or empty cells among full ones."""
    counts = field.type_counts
    if len(counts) < 2 or field.count < MIN_VALUES:
        return
    usual = max(counts, key=lambda sort: counts[sort])
    for sort, count in counts.items():
        if (
            sort != usual
            and count <= max(1, field.count * RARE_SHARE)
            and not (sort == "number" and (_has_hashes(field) or _has_versions(field)))
        ):
            what = "a number" if sort == "number" else sort
            mostly = "numbers" if usual == "number" else usual
            text = f"{field.name} is {what} in {count:,} of {field.count:,}; most are {mostly}"
            yield Outlier(text, tuple(field.rows[sort]), 4 if sort == "empty" else 1, count=count)


def _has_versions(field: Field) -> bool:
    """Return whether a column has versions: those with one dot look like numbers."""
    return field.texts is not None and VERSION.match(field.texts.example) is not None


def _has_hashes(field: Field) -> bool:
    """Return whether a column has hashes of one length: some of them have no letter and look like numbers."""
    texts = field.texts
    if texts is None or not texts.lengths.lowest or not texts.lengths.highest:
        return False
    equal = texts.lengths.lowest[0][0] == texts.lengths.highest[0][0]
    return equal and all(map(_HASH.fullmatch, (texts.low, texts.high, texts.example)))


def _find_rare_values(field: Field) -> Iterator[Outlier]:
    """Yield rare values of columns with few distinct values, alarming values first."""
    seen = field.texts.seen if field.texts else None
    if not seen or not 1 < len(seen) <= _MAX_STATE_VALUES or field.count < 5:
        return
    bad = [value for value in _list_alarming_values(field) if value[0] <= field.count * 0.1]
    alone = max(_MIN_RARE_ROWS, field.count * RARE_VALUE_SHARE)
    rare = _list_rare_states(seen, field.count)
    if len(rare) > _MAX_RARE_VALUES * 2:
        rare = []
    selection = [*bad, *(value for value in rare if value[0] <= alone and value not in bad)]
    for count, row, value in selection[:_MAX_RARE_VALUES]:
        text = f"{field.name} is {quote_string(value, 60)} in {count:,} of {field.count:,}"
        yield Outlier(text, (row,), 0 if _is_alarming(value) else 2, value, count)


def _list_rare_states(seen: Mapping[str, Sequence[int]], total: int) -> list[tuple[int, int, str]]:
    """Return (count, first line, value) of rare values, if the cells are states or members of an enumeration.

    One state is usual; of an enumeration, all members but a few are.
    """
    rare = sorted(
        (count, row, value)
        for value, (count, row) in seen.items()
        if count <= max(1, total * RARE_SHARE) and not _CLOCK.fullmatch(value.strip())
    )
    usual = max(count for count, _ in seen.values())
    if usual * 2 >= total and 0 < sum(count for count, _, _ in rare) <= total * 0.3:
        return rare
    if len(seen) > _MAX_ENUM_VALUES or total < 10 * MIN_VALUES:
        return []
    rare = [value for value in rare if value[0] <= max(1, total * RARE_VALUE_SHARE)]
    return rare if len(rare) <= 4 and len(rare) < len(seen) - 1 else []


def _has_peak(field: Field, column: NumberColumn) -> bool:
    """Return whether one number is the largest of an unsorted column of many distinct values, most of them numbers."""
    differs = not field.is_sorted and field.distinct_count not in (1, 2, 3)
    return differs and column.count >= max(5, field.count / 2) and column.highest[0][0] > column.highest[1][0]


def _list_alarming_values(field: Field) -> list[tuple[int, int, str]]:
    """Return (count, first line, value) of alarming values, the rarest first."""
    seen = field.texts.seen if field.texts and field.texts.seen else {}
    return sorted((count, row, value) for value, (count, row) in seen.items() if _is_alarming(value))


def _is_alarming(value: str) -> bool:
    """Return whether a value contains an alarming word and is not a path."""
    return ALARMING_STATE.search(value) is not None and PATH.fullmatch(value) is None


def _write_out(text: str, field: Field) -> str:
    """Return numbers without exponents if the cells of the column have none: ``0.000003`` for ``3e-06``."""
    if any("e" in cell.lower() for cell in field.written.values()):
        return text
    return _EXPONENT.sub(lambda match: f"{Decimal(match[0]):f}", text)


def _find_number_outliers(field: Field) -> Iterator[Outlier]:
    """Yield numbers far from the others, shares near 100 percent, and the largest number."""
    column = field.numbers
    if column is None or not column.lowest:
        return
    if _COVERED.search(field.name) and column.lowest[0][0] < column.highest[0][0]:
        rows = tuple(line for _, line in column.lowest)
        cells = dict.fromkeys(field.written.get(end, str(end[0])) for end in (column.lowest[0], column.lowest[-1]))
        yield Outlier(f"{field.name} is lowest, {' to '.join(cells)}", rows, 1, count=len(rows))
        return
    far = [] if field.is_sorted else list(find_outlying_numbers(column))
    yield from _group_far_numbers(field, far)
    yield from _describe_highest(field, column, is_usual=not far)


def _describe_highest(field: Field, column: NumberColumn, *, is_usual: bool) -> Iterator[Outlier]:
    """Yield the rows with shares near 100 percent if most are lower, or else the largest of ``usual`` numbers."""
    high, row = column.highest[0]
    cell = field.written.get((high, row), "")
    if cell.endswith("%") and high >= _FULL_PERCENT and column.compute_quartiles()[1] < _FULL_PERCENT:
        full = tuple(line for value, line in column.highest if value >= _FULL_PERCENT)
        yield Outlier(f"{field.name} is {cell}", full, 0, count=len(full))
    elif is_usual and _has_peak(field, column):
        yield Outlier(f"{field.name} is highest, {cell or high}", (row,), 6)


def _group_far_numbers(field: Field, far: Sequence[tuple[float, int, str]]) -> Iterator[Outlier]:
    """Yield each number that is far from the others, with its rows."""
    for far_value, usual in dict.fromkeys((value, usual) for value, _, usual in far):
        rows = tuple(row for value, row, _ in far if value == far_value)
        cell_text = field.written.get((far_value, rows[0]), str(far_value))
        text = f"{field.name} is {cell_text}" + (f"; most are {_write_out(usual, field)}" if field.is_plain else "")
        yield Outlier(text, rows, 2, count=len(rows))
