"""The cells of one column of a table: of which type, in which range, which values, and first where."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from operator import gt, lt
from typing import Any

from ctxkit.core.brief.data.columns import Numbers, Strings
from ctxkit.core.brief.data.literals import quoted, values

PLAIN = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d+)?").fullmatch
AMOUNT = re.compile(
    r"(?P<number>[-+]?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][-+]?\d+)?)"
    r"(?: ?(?P<unit>%|[kKMGTP](?:i?B?)|i?B|bytes))?"
    r"|(?=\d)(?:(?P<y>\d+)y)?(?:(?P<w>\d+)w)?(?:(?P<d>\d+)d)?(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m)?(?:(?P<s>\d+)s)?"
).fullmatch
UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40, "p": 1 << 50}
SECONDS = {"y": 31_536_000, "w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
NO_NUMBERS = ("nan", "inf", "infinity")
"""Words that stand for numbers."""
DIGITS = frozenset("0123456789+-")
"""How a number begins."""
KEPT = 6
"""First rows kept of each sort of cell."""


class Field:
    """Learn what stands in one column from its cells, each with the line it is on.

    Numbers, percentages, sizes (12K, 1.5GiB) and spans (3d4h) are compared as numbers; ``written``
    has the cells as they stand of the smallest and the largest.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0
        self.numbers: Numbers | None = None
        self.texts: Strings | None = None
        self.empty = 0
        self.rows: dict[str, list[int]] = {}
        self.written: dict[int, str] = {}
        self.ascending = self.descending = True
        self._before: Any = None

    def take(self, cells: Sequence[str], rows: Sequence[int]) -> None:
        """Take more cells, in order; blanks around them do not count."""
        if not cells:
            return
        self.count += len(cells)
        numbers = _all_numbers(cells)
        if numbers is not None:
            self._order(numbers)
            self._numeric(numbers, rows, cells)
        else:
            self._mixed(cells, rows)

    def _mixed(self, cells: Sequence[str], rows: Sequence[int]) -> None:
        different = list(set(cells))
        stripped = list(map(str.strip, different))
        bare = cells if stripped == different else list(map(str.strip, cells))
        self._order(bare)
        known = {cell: _value(cell) for cell in stripped if cell[:1] in DIGITS}
        full = "" not in stripped
        if full and not any(value is not None for value in known.values()):
            self._textual(bare, rows)
            return
        values = list(map(known.get, bare))
        numbers = [value for value in values if value is not None]
        if numbers:
            places = [place for place, value in enumerate(values) if value is not None]
            self._numeric(numbers, [rows[i] for i in places], [bare[i] for i in places])
        if not full:
            empty = [row for cell, row in zip(bare, rows, strict=True) if not cell]
            self.empty += len(empty)
            self._remember("empty", empty)
        text = [place for place, value in enumerate(values) if value is None and bare[place]]
        if text:
            self._textual([bare[i] for i in text], [rows[i] for i in text])

    def _numeric(self, numbers: Sequence[float], rows: Sequence[int], cells: Sequence[str]) -> None:
        if self.numbers is None:
            self.numbers = Numbers(rows[0])
        if len(set(map(type, numbers))) > 1:
            numbers = list(map(float, numbers))
        self.numbers.add(numbers, rows)
        self._remember("number", rows)
        known = {row for _, row in (*self.numbers.lowest, *self.numbers.highest)}
        self.written = {row: cell for row, cell in self.written.items() if row in known}
        for row in known:
            place = bisect_left(rows, row)
            if place < len(rows) and rows[place] == row:
                self.written[row] = cells[place].strip()

    def _textual(self, cells: Sequence[str], rows: Sequence[int]) -> None:
        if self.texts is None:
            self.texts = Strings(rows[0])
        self.texts.add(cells, rows)
        self._remember("text", rows)

    def _remember(self, sort: str, rows: Sequence[int]) -> None:
        kept = self.rows.setdefault(sort, [])
        if len(kept) < KEPT:
            kept.extend(rows[: KEPT - len(kept)])

    def _order(self, items: Sequence[Any]) -> None:
        """Watch whether the column is sorted, as far as it still may be."""
        if not (self.ascending or self.descending):
            return
        same = self._before is None or isinstance(self._before, str) == isinstance(items[0], str)
        joined = items if self._before is None or not same else [self._before, *items]
        # asked in C: a sorted column is looked at to its end
        self.ascending = same and self.ascending and not any(map(gt, joined, islice(joined, 1, None)))
        self.descending = same and self.descending and not any(map(lt, joined, islice(joined, 1, None)))
        self._before = items[-1]

    @property
    def sorted(self) -> bool:
        """Tell whether the cells are in order and not all the same."""
        return self.ascending != self.descending

    @property
    def sorts(self) -> dict[str, int]:
        """Return how many cells are numbers, text and empty, leaving out what no cell is."""
        counts = {
            "number": self.numbers.count if self.numbers else 0,
            "text": self.texts.count if self.texts else 0,
            "empty": self.empty,
        }
        return {sort: count for sort, count in counts.items() if count}

    @property
    def distinct(self) -> int:
        """Return how many different cells there are, -1 when they are too many to be counted."""
        sides = [side for side in (self.numbers, self.texts) if side is not None]
        return -1 if any(side.seen is None for side in sides) else sum(len(side.seen or ()) for side in sides)

    def says(self) -> str:
        """Return types, ranges and values in words."""
        said = []
        sorts = self.sorts
        for sort, count in sorted(sorts.items(), key=lambda pair: -pair[1]):
            times = f" ×{count:,}" if len(sorts) > 1 else ""
            more = self._range() if sort == "number" else self._texts() if sort == "text" else ""
            label = "integer" if sort == "number" and self.plain and self.numbers and self.numbers.whole else sort
            said.append(f"{label}{times}{more and f' {more}'}")
        order = ", ascending" if self.ascending else ", descending"
        return (" | ".join(said) or "nothing") + (order if self.sorted and self.count > 2 else "")

    @property
    def plain(self) -> bool:
        """Tell whether the numbers are written as such, without a unit."""
        return self.numbers is not None and all(map(PLAIN, self.written.values()))

    def _range(self) -> str:
        column = self.numbers
        if column is None or not column.lowest:
            return "not finite"
        low, high = (self.written.get(ends[0][1], str(ends[0][0])) for ends in (column.lowest, column.highest))
        listed = values(column) if self.plain else ""
        return listed or (low if low == high else f"{low}..{high}")

    def _texts(self) -> str:
        column = self.texts
        if column is None:
            return ""
        listed = values(column)
        if listed:
            return listed
        low, high = column.lengths.lowest[0][0], column.lengths.highest[0][0]
        span = f"{low:,}" if low == high else f"{low:,}..{high:,}"
        if self.sorted:
            return f"from {quoted(column.low, 40)} to {quoted(column.high, 40)}"
        return f"of {span} chars, e.g. {quoted(column.example, 40)}"


def _all_numbers(cells: Sequence[str]) -> list[Any] | None:
    """Return the cells as integers, or as floats, when each of them is one."""
    if cells[0][:1].isalpha() and cells[0].lower() not in NO_NUMBERS:
        return None
    kind: Callable[[str], Any]
    for kind in (int, float):
        try:
            return list(map(kind, cells))
        except ValueError:
            continue
    return None


def _value(cell: str) -> float | None:
    if ":" in cell or "/" in cell or ("-" in cell[1:] and "e" not in cell and "E" not in cell):
        return None  # a date, an hour, a path: most of what begins with a digit and is no number
    kind: Callable[[str], float]
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return number_of(cell)


def number_of(cell: str) -> float | None:
    """Return what a cell amounts to: a number, a percentage, bytes of a size, seconds of a span; None for text."""
    found = AMOUNT(cell)
    if found is None:
        return None
    if found["number"]:
        return float(found["number"].replace(",", "")) * UNITS.get((found["unit"] or "-")[0].lower(), 1)
    if found["w"] and sum(part is not None for part in found.groups()) == 1:
        return None  # weeks alone are rather a word
    return float(sum(int(found[unit] or 0) * seconds for unit, seconds in SECONDS.items()))


def names_of(header: Sequence[str], width: int) -> Iterator[str]:
    """Yield ``width`` names of columns, numbers where the header has none."""
    for place in range(width):
        name = " ".join(header[place].split()) if place < len(header) else ""
        yield (name if len(name) <= 60 else f"{name[:60]}...") or f"column {place + 1}"
