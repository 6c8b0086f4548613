"""Values that came twice in a column in which hardly any does: ids given out twice."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

MAX_VALUES = 100_000
"""Values that are remembered; what comes after these is not compared."""
MAX_REPEATS = 3
"""Repeated values up to which a column still is one of ids, whatever its length."""
REPEAT_SHARE = 0.005
"""The share of values that may repeat in it."""
MIN_VALUES = 20
"""Values from which on it says something that they differ, and for each that came again where no name says more."""
MAX_SPREAD = 5
"""Times that the range of numbers may be wider than there are numbers."""
ID_NAME = re.compile(r"(?:^|[_.-])(?:id|uuid|guid|key|sku|isbn|serial)$|Id$|ID$|^_id$", re.IGNORECASE)
DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")


class DuplicateTracker:
    """Watch a column for values that come again, as long as nearly all of them differ."""

    def __init__(self) -> None:
        self._seen: dict[Any, int] | None = {}
        self.count = 0
        self.repeat_count = 0
        self.duplicates: dict[Any, tuple[int, int]] = {}

    def add(self, values: Sequence[Any], rows: Sequence[int]) -> None:
        """Take more values, in order, each with its row."""
        seen = self._seen
        if seen is None or len(seen) >= MAX_VALUES:
            return
        fresh = dict(zip(values, rows, strict=True))
        if len(values) > 100 and len(fresh) * 2 < len(values):
            self._stop()
            return
        self.count += len(values)
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
                self._stop()
                return

    def find_duplicate_ids(self, name: str, low: Any, high: Any) -> Iterator[tuple[Any, int, int]]:
        """Yield (value, first row, row) of values that came again, if the column ``name`` is one of ids.

        It is when its name says so, or when words are single and no dates, or numbers are as dense as those counted up.
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

    def _stop(self) -> None:
        self._seen = None
        self.duplicates = {}
