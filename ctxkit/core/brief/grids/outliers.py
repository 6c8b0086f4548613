"""Outliers: rows of a table that differ from the others."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from ctxkit.core.brief.data.anomalies import MIN_VALUES, RARE_SHARE, RARE_VALUE_SHARE, find_outlying_numbers
from ctxkit.core.brief.data.columns import NumberColumn
from ctxkit.core.brief.data.literals import quote_string
from ctxkit.core.brief.grids.fields import Field
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass
from ctxkit.core.text.severity import ALARMING_STATE

PATH = compile_lazily(r"\S*[/\\]\S*|\S+\.[A-Za-z]\w{0,3}")
"""Pattern of a path or an address, which may contain any word."""
MIN_RARE_ROWS = 5
"""Number of rows up to which a value is rare, however small the table; for large tables, a share applies."""
VERSION = compile_lazily(r"(?:\d+:)?v?\d+(?:\.\w+){2,}|\d+(?:\.\d+)?[-+~]")
COVERED = compile_lazily(r"\bcover(?:age|ed)?\b", re.IGNORECASE)
"""Pattern of the name of a column of coverage, where low numbers matter."""
EXPONENT = compile_lazily(r"(?<!\d)(?<!\d\.)\d[\d.]*+e-\d\d")
HASH = compile_lazily(r"[0-9a-f]{7,64}")
CLOCK = compile_lazily(
    r"(?:(?:[A-Z][a-z]{2} ?\d{1,2}|\d{4}[-/]\d\d[-/]\d\d)(?:[T ]\d\d(?::\d\d){1,2}(?:\.\d+)?)?"
    r"|\d{1,4}(?::\d\d){1,2}(?:\.\d+)?)(?:Z| ?[+-]\d{4})?"
)
"""Pattern of a date or a time, of which most rows have their own."""
MAX_STATE_VALUES = 40
"""Maximum number of distinct values of a state column."""
MAX_ENUM_VALUES = 12
"""Maximum number of distinct values for a rare value to be an outlier without a usual value."""
FULL_PERCENT = 90
"""Percentage from which a share is reported."""
MAX_RARE_VALUES = 6
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
    return equal and all(map(HASH.fullmatch, (texts.low, texts.high, texts.example)))


def _find_rare_values(field: Field) -> Iterator[Outlier]:
    """Yield rare values of columns with few distinct values, alarming values first."""
    column = field.texts
    if column is None or not column.seen or not 1 < len(column.seen) <= MAX_STATE_VALUES or field.count < 5:
        return
    few = max(1, field.count * RARE_SHARE)
    rare = sorted(
        (count, row, value)
        for value, (count, row) in column.seen.items()
        if count <= few and not CLOCK.fullmatch(value.strip())
    )
    most = max(count for count, _ in column.seen.values())
    state = most * 2 >= field.count and 0 < sum(count for count, _, _ in rare) <= field.count * 0.3
    bad = [value for value in _list_alarming_values(field) if value[0] <= field.count * 0.1]
    if not state and len(column.seen) <= MAX_ENUM_VALUES and field.count >= 10 * MIN_VALUES:
        rare = [pair for pair in rare if pair[0] <= max(1, field.count * RARE_VALUE_SHARE)]
        state = 0 < len(rare) <= 4 and len(rare) < len(column.seen) - 1
    alone = max(MIN_RARE_ROWS, field.count * RARE_VALUE_SHARE)
    selection = [
        *bad,
        *(pair for pair in rare if state and len(rare) <= MAX_RARE_VALUES * 2 and pair[0] <= alone and pair not in bad),
    ]
    for count, row, value in selection[:MAX_RARE_VALUES]:
        text = f"{field.name} is {quote_string(value, 60)} in {count:,} of {field.count:,}"
        yield Outlier(text, (row,), 0 if _is_alarming(value) else 2, value, count)


def _has_peak(field: Field, column: NumberColumn) -> bool:
    """Return whether one number is the largest of an unsorted column of many distinct values."""
    return not field.is_sorted and field.distinct_count not in (1, 2, 3) and column.highest[0][0] > column.highest[1][0]


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
    return EXPONENT.sub(lambda match: f"{Decimal(match[0]):f}", text)


def _find_number_outliers(field: Field) -> Iterator[Outlier]:
    """Yield numbers far from the others, shares near 100 percent, and the largest number."""
    column = field.numbers
    if column is None or not column.lowest:
        return
    if COVERED.search(field.name) and column.lowest[0][0] < column.highest[0][0]:
        rows = tuple(line for _, line in column.lowest)
        cells = dict.fromkeys(field.written.get(end, str(end[0])) for end in (column.lowest[0], column.lowest[-1]))
        yield Outlier(f"{field.name} is lowest, {' to '.join(cells)}", rows, 1, count=len(rows))
        return
    far = [] if field.is_sorted else list(find_outlying_numbers(column))
    for far_value, usual in dict.fromkeys((value, usual) for value, _, usual in far):
        rows = tuple(row for value, row, _ in far if value == far_value)
        cell_text = field.written.get((far_value, rows[0]), str(far_value))
        text = f"{field.name} is {cell_text}" + (f"; most are {_write_out(usual, field)}" if field.is_plain else "")
        yield Outlier(text, rows, 2, count=len(rows))
    high, row = column.highest[0]
    cell = field.written.get((high, row), "")
    if cell.endswith("%") and high >= FULL_PERCENT and column.compute_quartiles()[1] < FULL_PERCENT:
        full = tuple(line for value, line in column.highest if value >= FULL_PERCENT)
        yield Outlier(f"{field.name} is {cell}", full, 0, count=len(full))
    elif not far and column.count >= max(5, field.count / 2) and _has_peak(field, column):
        yield Outlier(f"{field.name} is highest, {cell or high}", (row,), 6)
