"""Values in order: numbers, sizes, dates and times, with the lines of the lowest and the highest."""

import re

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass

NUMBER = compile_lazily(
    r"([-+]?\d[\d,]{0,24}(?:\.\d{1,20})?(?:e[-+]?\d{1,3})?)(?:[ \t]?([A-Za-z%/]{1,12}))?(?: ?\(.*)?"
)
"""Pattern of a number with its unit, and a remark in brackets."""
ISO_DATE = compile_lazily(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?")
NAMED_DATE = compile_lazily(
    r"(?:[A-Z][a-z]{2},? )?([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?: [A-Z]{3,4})? (\d{4})"
)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DATE_WORDS = frozenset((*MONTHS, "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))
"""First words of dates."""
SCALES = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
BYTES = compile_lazily(r"([kmgt])i?b?", re.IGNORECASE)


def read_number(text: str) -> tuple[str, float] | None:
    """Return the unit and the size of a number, or ``date`` and a sortable number for a date, or None."""
    if not (text[:1].isdigit() or text[:1] in "+-" or text[:3] in DATE_WORDS):
        return None
    match = NUMBER.fullmatch(text)
    if match:
        unit = match[2] or ""
        scale = BYTES.fullmatch(unit)
        factor = SCALES[scale[1].lower()] if scale and len(unit) <= 3 and unit not in ("m", "t", "g") else 1.0
        return ("bytes" if factor != 1.0 or unit == "B" else unit, float(match[1].replace(",", "")) * factor)
    date = ISO_DATE.match(text)
    if date:
        return "date", float("".join(part or "00" for part in date.groups()))
    named = NAMED_DATE.match(text)
    if named and named[1] in MONTHS:
        month, day, *clock, year = named.groups()
        return "date", float(f"{year}{MONTHS.index(month) + 1:02}{int(day):02}{''.join(clock)}")
    return None


@dataclass(slots=True)
class Extreme:
    """Hold the lowest or highest value with its line and its record."""

    number: float
    text: str
    line: int
    record: int


@dataclass(slots=True)
class ValueRange:
    """Track the lowest and highest of comparable values; ``others`` counts values that are no numbers."""

    unit: str = ""
    count: int = 0
    others: int = 0
    low: Extreme | None = None
    high: Extreme | None = None

    def add(self, number: tuple[str, float] | None, text: str, line: int, record: int) -> None:
        """Compare a value with the extremes."""
        if number is None or (self.count and number[0] != self.unit):
            self.others += 1
            return
        self.unit = number[0]
        self.count += 1
        if self.low is None or number[1] < self.low.number:
            self.low = Extreme(number[1], text, line, record)
        if self.high is None or number[1] > self.high.number:
            self.high = Extreme(number[1], text, line, record)
