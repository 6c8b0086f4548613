"""Fields: the types, ranges and values in one column of a table, with the rows of examples."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import compress, islice
from math import inf, isfinite
from operator import gt, lt, not_
from typing import Any, TypeVar

from ctxkit.core.brief.data.columns import NumberColumn, StringColumn
from ctxkit.core.brief.data.literals import format_values, quote_string

T = TypeVar("T")
PLAIN = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d+)?").fullmatch
AMOUNT = re.compile(
    r"(?P<number>[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d+)?)"
    r"(?: ?(?P<unit>%|[kKMGTP](?:i?B?)|i?B|bytes))?"
    r"|(?=\d)(?:(?P<y>\d+)y)?(?:(?P<w>\d+)w)?(?:(?P<d>\d+)d)?(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m)?(?:(?P<s>\d+)s)?"
).fullmatch
UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50}
SECONDS = {"y": 31_536_000, "w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
NO_NUMBERS = ("nan", "inf", "infinity")
"""Words that represent numbers."""
DIGITS = frozenset("0123456789+-")
"""First characters of numbers."""
MAX_KEPT_ROWS = 6
"""Number of first rows stored for each type of cell."""


class Field:
    """Learn the content of one column from its cells and their lines.

    Numbers, percentages, sizes (12K, 1.5GiB) and time spans (3d4h) are compared as numbers. ``written`` has the
    original cells of the smallest and the largest.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0
        self.numbers: NumberColumn | None = None
        self.texts: StringColumn | None = None
        self.empty = 0
        self.rows: dict[str, list[int]] = {}
        self.written: dict[tuple[float, int], str] = {}
        self.ascending = self.descending = True
        self._last_row = 0
        self._previous: Any = None

    def add_cells(self, cells: Sequence[str], rows: Sequence[int]) -> None:
        """Add more cells, in order; surrounding blanks are ignored."""
        if not cells:
            return
        self.count += len(cells)
        numbers = _parse_all_numbers(cells)
        if numbers is not None:
            self._track_order(numbers, rows)
            self._add_numbers(numbers, rows, cells)
        else:
            self._add_mixed(cells, rows)

    def _add_mixed(self, cells: Sequence[str], rows: Sequence[int]) -> None:
        different = list(set(cells))
        stripped = list(map(str.strip, different))
        bare = cells if stripped == different else list(map(str.strip, cells))
        self._track_order(bare, rows)
        known = {cell: _parse_value(cell) for cell in stripped if cell[:1] in DIGITS}
        full = "" not in stripped
        if full and set(known.values()) <= {None}:
            self._add_texts(bare, rows)
            return
        values = list(map(known.get, bare))
        numbers = [value for value in values if value is not None]
        if numbers:
            places = [place for place, value in enumerate(values) if value is not None]
            self._add_numbers(numbers, _pick(rows, places), _pick(bare, places))
        if not full:
            empty = list(compress(rows, map(not_, bare)))
            self.empty += len(empty)
            self._keep_rows("empty", empty)
        text = [place for place, value in enumerate(values) if value is None and bare[place]]
        if text:
            self._add_texts(_pick(bare, text), _pick(rows, text))

    def _add_numbers(self, numbers: Sequence[float], rows: Sequence[int], cells: Sequence[str]) -> None:
        if self.numbers is None:
            self.numbers = NumberColumn(rows[0])
        if len(set(map(type, numbers))) > 1:
            numbers = list(map(_convert_to_float, numbers))
        self.numbers.add(numbers, rows)
        self._keep_rows("number", rows)
        known = {(value, row) for value, row in (*self.numbers.lowest, *self.numbers.highest)}
        self.written = {end: cell for end, cell in self.written.items() if end in known}
        for value, row in known:
            place = bisect_left(rows, row)
            while place < len(rows) and rows[place] == row:
                if numbers[place] == value:
                    self.written[value, row] = cells[place].strip()
                    break
                place += 1

    def _add_texts(self, cells: Sequence[str], rows: Sequence[int]) -> None:
        if self.texts is None:
            self.texts = StringColumn(rows[0])
        self.texts.add(cells, rows)
        self._keep_rows("text", rows)

    def _keep_rows(self, sort: str, rows: Sequence[int]) -> None:
        kept = self.rows.setdefault(sort, [])
        if len(kept) < MAX_KEPT_ROWS:
            kept.extend(rows[: MAX_KEPT_ROWS - len(kept)])

    def _track_order(self, items: Sequence[Any], rows: Sequence[int]) -> None:  # Any: texts or numbers, by column
        """Update whether the column is sorted; cells of earlier rows than before leave that unknown."""
        if rows[0] < self._last_row:
            self.ascending = self.descending = False
        self._last_row = rows[-1]
        if not (self.ascending or self.descending):
            return
        same = self._previous is None or isinstance(self._previous, str) == isinstance(items[0], str)
        joined = items if self._previous is None or not same else [self._previous, *items]
        # These loops run in C, because a sorted column is compared to its end.
        self.ascending = same and self.ascending and not any(map(gt, joined, islice(joined, 1, None)))
        self.descending = same and self.descending and not any(map(lt, joined, islice(joined, 1, None)))
        self._previous = items[-1]

    @property
    def is_sorted(self) -> bool:
        """Return whether the cells are in order and not all equal."""
        return self.ascending != self.descending

    @property
    def type_counts(self) -> dict[str, int]:
        """Return the number of numeric, text and empty cells, without zero counts."""
        counts = {
            "number": self.numbers.count if self.numbers else 0,
            "text": self.texts.count if self.texts else 0,
            "empty": self.empty,
        }
        return {sort: count for sort, count in counts.items() if count}

    @property
    def distinct_count(self) -> int:
        """Return the number of distinct cells, or -1 if they are too many to count."""
        sides = [side for side in (self.numbers, self.texts) if side is not None]
        return -1 if any(side.seen is None for side in sides) else sum(len(side.seen or ()) for side in sides)

    def describe(self) -> str:
        """Return a description of types, ranges and values."""
        parts = []
        counts = self.type_counts
        for sort, count in sorted(counts.items(), key=lambda pair: -pair[1]):
            times = f" ×{count:,}" if len(counts) > 1 else ""
            label, more = self._describe_type(sort)
            parts.append(f"{label}{times}{more and f' {more}'}")
        order = ", ascending" if self.ascending else ", descending"
        return (" | ".join(parts) or "nothing") + (order if self.is_sorted and self.count > 2 else "")

    def _describe_type(self, sort: str) -> tuple[str, str]:
        """Return the name of a type of cells, and their range or values."""
        if sort == "number":
            is_integer = self.is_plain and self.numbers and self.numbers.is_integer
            return "integer" if is_integer else sort, self._describe_range()
        return sort, self._describe_texts() if sort == "text" else ""

    @property
    def is_plain(self) -> bool:
        """Return whether the numbers have no units."""
        return self.numbers is not None and all(map(PLAIN, self.written.values()))

    def _describe_range(self) -> str:
        column = self.numbers
        if column is None or not column.lowest:
            return "not finite"
        low, high = (self.written.get(ends[0], str(ends[0][0])) for ends in (column.lowest, column.highest))
        listed = format_values(column) if self.is_plain else ""
        return listed or (low if low == high else f"{low}..{high}")

    def _describe_texts(self) -> str:
        column = self.texts
        if column is None:
            return ""
        listed = format_values(column)
        if listed:
            return listed
        low, high = column.lengths.lowest[0][0], column.lengths.highest[0][0]
        span = f"{low:,}" if low == high else f"{low:,}..{high:,}"
        if self.is_sorted:
            return f"from {quote_string(column.low, 40)} to {quote_string(column.high, 40)}"
        return f"of {span} chars, e.g. {quote_string(column.example, 40)}"


def _pick(items: Sequence[T], places: Sequence[int]) -> list[T]:
    return [items[place] for place in places]


def _convert_to_float(number: float) -> float:
    """Return a number as a float, infinite if it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def _parse_all_numbers(cells: Sequence[str]) -> list[float] | None:
    """Return the cells as integers or floats, or None if some cell is not a number."""
    if cells[0][:1].isalpha() and cells[0].lower() not in NO_NUMBERS:
        return None
    kind: Callable[[str], float]
    for kind in (int, float):
        try:
            return list(map(kind, cells))
        except ValueError:
            continue
    return None


def _parse_value(cell: str) -> float | None:
    if ":" in cell or "/" in cell or ("-" in cell[1:] and "e" not in cell and "E" not in cell):
        return None  # a date, an hour, a path: most of the cells that begin with a digit but are not numbers
    kind: Callable[[str], float]
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return parse_amount(cell)


def parse_amount(cell: str) -> float | None:
    """Return the value of a cell (a number, a percentage, a size in bytes or a span in seconds), or None for text."""
    match = AMOUNT(cell)
    if match is None:
        return None
    if match["number"]:
        amount = float(match["number"].replace(",", "")) * UNITS.get((match["unit"] or "-")[0].lower(), 1)
    elif match["w"] and sum(part is not None for part in match.groups()) == 1:
        return None  # weeks alone are probably a word
    else:
        amount = sum(float(match[unit] or 0) * seconds for unit, seconds in SECONDS.items())
    return amount if isfinite(amount) else None


def name_columns(header: Sequence[str], width: int) -> Iterator[str]:
    """Yield ``width`` column names, with numbers where the header has no name."""
    for place in range(width):
        name = " ".join(header[place].split()) if place < len(header) else ""
        yield (name if len(name) <= 60 else f"{name[:60]}...") or f"column {place + 1}"
