"""Detection of repeated values in columns of almost unique values, such as duplicate ids."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.json_value import JsonValue

MAX_VALUES = 100_000
"""Maximum number of values stored; later values are not compared."""
UNLIMITED = 1 << 60
MAX_REPEATS = 3
"""Number of repeated values that a column of ids may always have."""
REPEAT_SHARE = 0.005
"""Maximum share of repeated values in a column of ids."""
MIN_VALUES = 20
"""Minimum number of values, and minimum number per repeated value if the name does not indicate ids."""
MAX_SPREAD = 5
"""Maximum ratio of the range of the numbers to their count."""
ID_NAME = compile_lazily(r"(?:^|[_.-])(?:id|uuid|guid|key|sku|isbn|serial)$|Id$|ID$|^_id$", re.IGNORECASE)
DATE = compile_lazily(r"\d{4}-\d\d-\d\d|\d\d:\d\d")


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
            if self.repeat_count > max(MAX_REPEATS, self.count * REPEAT_SHARE):
                self.stop()
                return

    def find_duplicate_ids(self, name: str, low: JsonValue, high: JsonValue) -> Iterator[tuple[JsonValue, int, int]]:
        """Yield (value, first row, row) of repeated values, if the column ``name`` has ids.

        It has ids if its name says so, if its strings are single words and not dates, or if its integers are dense.
        """
        if not self.duplicates or self.count < MIN_VALUES:
            return
        if not ID_NAME.search(name):
            if self.repeat_count * MIN_VALUES > self.count:
                return
            if isinstance(low, str):
                if any(" " in value or len(value) < 4 or DATE.match(value) for value in self.duplicates):
                    return
            elif high - low > MAX_SPREAD * self.count:
                return
        yield from ((value, first, row) for value, (first, row) in list(self.duplicates.items())[:MAX_REPEATS])

    def stop(self) -> None:
        """Track no more values, and forget those that are stored."""
        self._budget.values += len(self._seen or ())
        self._seen = None
        self.duplicates = {}
