"""Values that came twice in a column in which hardly any does: ids given out twice."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

MOST = 100_000
"""Values that are remembered; what comes after these is not compared."""
FEW = 3
"""Repeated values up to which a column still is one of ids, whatever its length."""
SHARE = 0.005
"""The share of values that may repeat in it."""
ENOUGH = 20
"""Values from which on it says something that they differ, and for each that came again where no name says more."""
DENSE = 5
"""Times that the range of numbers may be wider than there are numbers."""
CALLED = re.compile(r"(?:^|[_.-])(?:id|uuid|guid|key|sku|isbn|serial)$|Id$|ID$|^_id$", re.IGNORECASE)
DATED = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d")


class Repeats:
    """Watch a column for values that come again, as long as nearly all of them differ."""

    def __init__(self) -> None:
        self._seen: dict[Any, int] | None = {}
        self.count = 0
        self.again = 0
        self.found: dict[Any, tuple[int, int]] = {}

    def add(self, values: Sequence[Any], rows: Sequence[int]) -> None:
        """Take more values, in order, each with its row."""
        seen = self._seen
        if seen is None or len(seen) >= MOST:
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
            self.again += 1
            if seen[value] != row:
                self.found.setdefault(value, (seen[value], row))
            if self.again > max(FEW, self.count * SHARE):
                self._stop()
                return

    def odd(self, name: str, low: Any, high: Any) -> Iterator[tuple[Any, int, int]]:
        """Yield (value, first row, row) of values that came again, if the column ``name`` is one of ids.

        It is when its name says so, or when words are single and no dates, or numbers are as dense as those counted up.
        """
        if not self.found or self.count < ENOUGH:
            return
        if not CALLED.search(name):
            if self.again * ENOUGH > self.count:
                return
            if isinstance(low, str):
                if any(" " in value or len(value) < 4 or DATED.match(value) for value in self.found):
                    return
            elif high - low > DENSE * self.count:
                return
        yield from ((value, first, row) for value, (first, row) in list(self.found.items())[:FEW])

    def _stop(self) -> None:
        self._seen = None
        self.found = {}
