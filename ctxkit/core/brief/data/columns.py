"""Columns: statistics of many JSON values of one type."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.json_value import JsonValue, LargeString

MAX_VALUES = 100_000
"""Maximum number of values stored; later values are not compared."""
UNLIMITED = 1 << 60
MAX_REPEATS = 3
"""Number of repeated values that a column of ids may always have."""
_REPEAT_SHARE = 0.005
"""Maximum share of repeated values in a column of ids."""
MIN_VALUES = 20
"""Minimum number of values, and minimum number per repeated value if the name does not indicate ids."""
_MAX_SPREAD = 5
"""Maximum ratio of the range of the numbers to their count."""
_ID_NAME = compile_lazily(r"(?:^|[_.-])(?:id|uuid|guid|key|sku|isbn|serial)$|Id$|ID$|^_id$", re.IGNORECASE)
_DATE = compile_lazily(r"\d{4}-\d\d-\d\d|\d\d:\d\d")


class ValueBudget:
    """Hold how many more values the columns of one dataset may store."""

    def __init__(self, values: int = UNLIMITED) -> None:
        self.values = values


class DuplicateTracker:
    """Track repeated values of a column, as long as nearly all values are distinct."""

    def __init__(self, budget: ValueBudget | None = None) -> None:
        self._budget = budget or ValueBudget()
        self._seen: dict[JsonValue, int] | None = {}
        self.count = 0
        self.repeat_count = 0
        self.duplicates: dict[JsonValue, tuple[int, int]] = {}

    def add(self, values: Sequence[JsonValue], rows: Sequence[int]) -> None:
        """Add more values, in order, with their rows."""
        seen = self._seen
        if seen is None or len(seen) >= MAX_VALUES or self._budget.values <= 0:
            return
        fresh = dict(zip(values, rows, strict=True))
        if len(values) > 100 and len(fresh) * 2 < len(values):
            self.stop()
            return
        self.count += len(values)
        self._budget.values -= len(fresh)
        if len(fresh) == len(values) and seen.keys().isdisjoint(fresh):
            seen.update(fresh)
            return
        for value, row in zip(values, rows, strict=True):
            if value not in seen:
                seen[value] = row
                continue
            self.repeat_count += 1
            if seen[value] != row:
                self.duplicates.setdefault(value, (seen[value], row))
            if self.repeat_count > max(MAX_REPEATS, self.count * _REPEAT_SHARE):
                self.stop()
                return

    def find_duplicate_ids(self, name: str, low: JsonValue, high: JsonValue) -> Iterator[tuple[JsonValue, int, int]]:
        """Yield (value, first row, row) of repeated values, if the column ``name`` has ids.

        It has ids if its name says so, if its strings are single words and not dates, or if its integers are dense.
        """
        if not self.duplicates or self.count < MIN_VALUES:
            return
        if not _ID_NAME.search(name):
            if self.repeat_count * MIN_VALUES > self.count:
                return
            if isinstance(low, str):
                if any(" " in value or len(value) < 4 or _DATE.match(value) for value in self.duplicates):
                    return
            elif high - low > _MAX_SPREAD * self.count:
                return
        yield from ((value, first, row) for value, (first, row) in list(self.duplicates.items())[:MAX_REPEATS])

    def stop(self) -> None:
        """Track no more values, and forget those that are stored."""
        self._budget.values += len(self._seen or ())
        self._seen = None
        self.duplicates = {}


MAX_DISTINCT = 200
"""Maximum number of distinct values of an enumeration."""
MAX_ENUM_LENGTH = 80
"""Maximum number of characters of a string in an enumeration."""
_MAX_STORED = 1_000
"""Maximum number of characters of a string that are stored."""
SAMPLE = 4_096
"""Maximum number of values sampled for the quartiles."""
EXTREMES = 6
"""Number of values kept at each end of a column."""
_get_value = itemgetter(0)


class Column:
    """Count values and store the row of the first value."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.count = 0

    def add(self, values: Sequence[JsonValue], rows: Sequence[int]) -> None:
        """Add more values, in order."""
        del rows
        self.count += len(values)


class ValueColumn(Column):
    """Count distinct values while they are few: ``seen`` maps each to its count and first row, or is None."""

    def __init__(self, first: int, budget: ValueBudget | None = None) -> None:
        super().__init__(first)
        self.seen: dict[JsonValue, list[int]] | None = {}
        self.duplicates = DuplicateTracker(budget)

    def add(self, values: Sequence[JsonValue], rows: Sequence[int]) -> None:
        """Add more values, in order."""
        super().add(values, rows)
        if self.seen is None:
            return
        for value, count in Counter(values).items():
            if value in self.seen:
                self.seen[value][0] += count
            elif len(self.seen) < MAX_DISTINCT:
                self.seen[value] = [count, rows[values.index(value)]]
            else:
                self.seen = None
                return


class NumberColumn(ValueColumn):
    """Store the smallest and largest numbers with their rows, and a sample for quartiles."""

    def __init__(self, first: int, budget: ValueBudget | None = None) -> None:
        super().__init__(first, budget)
        self.is_integer = True
        self.not_finite: tuple[int, int] | None = None
        self.lowest: list[tuple[JsonValue, int]] = []
        self.highest: list[tuple[JsonValue, int]] = []
        self._sample: list[JsonValue] = []
        self._stride = 1
        self._offered = 0

    def add(self, values: Sequence[JsonValue], rows: Sequence[int]) -> None:
        """Add more numbers, in order; numbers that are not finite are only counted."""
        if type(values[0]) is float:
            self.is_integer = False
            values, rows = self._drop_infinite(values, rows)
            if not values:
                return
        super().add(values, rows)
        if self.is_integer:
            self.duplicates.add(values, rows)
        low, high = min(values), max(values)
        if len(self.lowest) < EXTREMES or low < self.lowest[-1][0]:
            self.lowest = sorted([*self.lowest, *_find_extremes(values, rows)], key=_get_value)[:EXTREMES]
        if len(self.highest) < EXTREMES or high > self.highest[-1][0]:
            pairs = [*self.highest, *_find_extremes(values, rows, reverse=True)]
            self.highest = sorted(pairs, key=_get_value, reverse=True)[:EXTREMES]
        self._sample_values(values)

    def _drop_infinite(self, values: Sequence[float], rows: Sequence[int]) -> tuple[Sequence[float], Sequence[int]]:
        if _are_finite(values):
            return values, rows
        places = [i for i, value in enumerate(values) if value - value == 0]
        lost = len(values) - len(places)
        if not lost:
            return values, rows
        kept = set(places)
        first = next(row for i, row in enumerate(rows) if i not in kept)
        self.not_finite = (self.not_finite[0] + lost, self.not_finite[1]) if self.not_finite else (lost, first)
        self.count += lost
        return [values[i] for i in places], [rows[i] for i in places]

    def _sample_values(self, values: Sequence[JsonValue]) -> None:
        """Sample every n-th value; n doubles as the column grows."""
        self._sample.extend(values[-self._offered % self._stride :: self._stride])
        self._offered += len(values)
        while len(self._sample) > SAMPLE:
            self._sample = self._sample[::2]
            self._stride *= 2

    def compute_quartiles(self) -> tuple[JsonValue, JsonValue, JsonValue]:
        """Return the approximate lower quartile, median and upper quartile."""
        ranked = sorted(self._sample)
        return ranked[len(ranked) // 4], ranked[len(ranked) // 2], ranked[len(ranked) * 3 // 4]


class StringColumn(ValueColumn):
    """Store the lengths of strings, and the first and the last in alphabetic order."""

    def __init__(self, first: int, budget: ValueBudget | None = None) -> None:
        super().__init__(first, budget)
        self.lengths = NumberColumn(first, budget)
        self.example = ""
        self.low = ""
        self.high = ""

    def add(self, values: Sequence[str], rows: Sequence[int]) -> None:
        """Add more strings, in order."""
        if not self.count:
            self.low = self.high = values[0]
        if not self.example:
            self.example = next((value for value in values if value), "")
        self.lengths.add(list(map(len, values)), rows)
        if self.lengths.highest[0][0] > MAX_ENUM_LENGTH:
            self.seen = None
            self.duplicates.stop()
        else:
            self.duplicates.add(values, rows)
        super().add(values, rows)
        self.low = _cut(min(self.low, min(values)))
        self.high = _cut(max(self.high, max(values)))
        self.example = _cut(self.example)


def _cut(text: str) -> str:
    """Return a string, or the beginning of a long one that knows its length."""
    return text if len(text) <= _MAX_STORED else LargeString.make(text[:_MAX_STORED], len(text))


def _are_finite(values: Sequence[float]) -> bool:
    """Return whether the sum of the values is finite; a False result may also be an overflow."""
    try:
        total = sum(values)
    except OverflowError:
        return False
    return total - total == 0


def _find_extremes(
    values: Sequence[JsonValue], rows: Sequence[int], *, reverse: bool = False
) -> list[tuple[JsonValue, int]]:
    """Return the values at one end, each with its row; equal values keep the earlier rows."""
    pairs: list[tuple[JsonValue, int]] = []
    at = -1
    for value in sorted(values, reverse=reverse)[:EXTREMES]:
        again = pairs and pairs[-1][0] == value
        at = values.index(value, at + 1) if again else values.index(value)
        pairs.append((values[at], rows[at]))
    return pairs
