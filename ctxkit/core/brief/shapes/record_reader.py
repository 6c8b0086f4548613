"""A reader of records: where each begins, and the values of each key with their counts and lines."""

import re
from array import array
from collections.abc import Iterable, Sequence
from itertools import combinations

from ctxkit.core.brief.shapes.record_layout import (
    BLANK,
    LEADS,
    LEAST_TAIL,
    MARGIN,
    LineForm,
    RecordLayout,
    is_common,
    read_form,
)
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import dataclass, field

_NUMBER = compile_lazily(
    r"([-+]?\d[\d,]{0,24}(?:\.\d{1,20})?(?:e[-+]?\d{1,3})?)(?:[ \t]?([A-Za-z%/]{1,12}))?(?: ?\(.*)?"
)
"""Pattern of a number with its unit, and a remark in brackets."""
_ISO_DATE = compile_lazily(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?")
_NAMED_DATE = compile_lazily(
    r"(?:[A-Z][a-z]{2},? )?([A-Z][a-z]{2}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?: [A-Z]{3,4})? (\d{4})"
)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DATE_WORDS = frozenset((*_MONTHS, "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"))
"""First words of dates."""
_SCALES = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_BYTES = compile_lazily(r"([kmgt])i?b?", re.IGNORECASE)


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


_MAX_FORMS = 1_000
"""Maximum number of distinct keys; lines with further ones are not counted by key."""
_MAX_VALUES = 200
"""Maximum number of distinct values that are kept of a key."""
_MAX_RECORDS = 20_000
"""Maximum number of records of which names are kept."""
_MAX_PAIRS = 60
WIDEST = 100
"""Maximum number of characters of a value."""
_MAX_PLACES = 12
"""Maximum number of lines that are kept of a value or a key."""


@dataclass(slots=True)
class Value:
    """Count the records in which a key has a value; ``lines`` are the first lines, ``records`` their records."""

    text: str
    count: int = 0
    lines: list[int] = field(default_factory=list)
    records: list[int] = field(default_factory=list)

    def add(self, line: int, record: int) -> None:
        """Count the value on a line of a record."""
        self.count += 1
        if len(self.lines) < _MAX_PLACES:
            self.lines.append(line)
            self.records.append(record)


@dataclass(slots=True)
class RecordKey:
    """Hold a key: the number of its records and of its lines, its first lines, and its values.

    ``overflow`` counts values that are not kept.
    ``varies`` means that a record has the key several times with different values, of which only the first is counted.
    """

    name: str
    form: str
    indent: int
    count: int = 0
    empty: int = 0
    overflow: int = 0
    varies: bool = False
    places: Value = field(default_factory=lambda: Value(""))
    values: dict[str, Value] = field(default_factory=dict)
    lines: int = 0
    range: ValueRange = field(default_factory=ValueRange)

    def add(self, text: str, line: int, record: int) -> None:
        """Count the first value of the key in a record."""
        self.count += 1
        self.lines += 1
        self.places.add(line, record)
        if not text:
            self.empty += 1
            return
        text = text[:WIDEST]
        value = self.values.get(text)
        if value is None:
            if len(self.values) >= _MAX_VALUES:
                self.overflow += 1
                self.range.add(read_number(text), text, line, record)
                return
            value = self.values[text] = Value(text)
        value.add(line, record)
        self.range.add(read_number(text), text, line, record)


@dataclass(slots=True)
class KeyPair:
    """Count the records in which two keys have the same value, and hold the lines of the others."""

    first: str
    second: str
    same: int = 0
    other: int = 0
    differences: list[tuple[int, int, str, str]] = field(default_factory=list)


class RecordReader:
    """Read records once: their beginnings, their names, their keys, and the pairs of keys with the same value."""

    def __init__(self, layout: RecordLayout, names: Sequence[str] = (), pairs: Sequence[tuple[str, str]] = ()) -> None:
        self.starts = array("Q")
        self.regular: list[bool] = []
        self.keys: dict[str, RecordKey] = {}
        self.names: list[tuple[str, ...]] = []
        self.heads: list[str] = []
        self.pairs = [KeyPair(*pair) for pair in pairs]
        self.unread = 0
        self._layout = layout
        self.name_forms = names
        self._before = BLANK
        self._values: dict[str, tuple[str, int]] = {}
        self._forms: set[str] = set()
        self._known: set[str] = set()
        self._body_end = self._regular_end = self._strange = self._usual = self._rest = 0

    def add_lines(self, lines: Iterable[tuple[int, str]]) -> None:
        """Read numbered lines."""
        for number, line in lines:
            form = read_form(line)
            if self._layout.is_start(form, self._before):
                self.finish_record()
                self.starts.append(number)
                self._keep_head(line, form)
            elif self._layout.begin.startswith("0~") and self.starts and number == self.starts[-1] + 1 and not form.key:
                self._extend_head(line)
            self._before = form
            self._follow_body(form, number)
            if self.starts and form.form:
                self._add_form(form, number)

    def find_tail(self) -> int:
        """Return the first of the lines after the last record that are unlike records, 0 if there are too few."""
        return self._regular_end + 1 if self._regular_end and self._strange >= LEAST_TAIL + self._usual else 0

    def _follow_body(self, form: LineForm, number: int) -> None:
        """Move the end of the last record to a line with a common key, or to one with a known key right below."""
        if is_common(form, self._layout.common):
            self._body_end, self._strange = number, 0
        elif form.is_blank or form.indent > self._layout.indent or self._is_known(form):
            self._body_end = number if self._body_end == number - 1 else self._body_end
        else:
            self._strange += form.form not in self._known

    def _is_known(self, form: LineForm) -> bool:
        """Return whether a record before has the key of a line."""
        key = self.keys.get(form.form)
        return key is not None and key.count > 0

    def finish_record(self) -> None:
        """Count the values of the record that ends."""
        if not self.starts:
            return
        record = len(self.starts) - 1
        regular = self._layout.is_regular(self._forms)
        if not record and not regular:  # text before the first record
            self._values, self._forms = {}, set()
            del self.starts[:], self.heads[:]
            return
        if len(self._known) < _MAX_FORMS:
            self._known |= self._forms
        if regular or (record and self._layout.begin != LEADS):
            self._usual, self._rest = max(self._usual, self._rest), self._strange if record else 0
            self._regular_end = self._body_end
        if record < _MAX_RECORDS:
            self.regular.append(regular)
            self.names.append(self._read_names())
        for form, (text, line) in self._values.items():
            self.keys[form].add(text, line, record)
        for pair in self.pairs:
            self._compare_pair(pair, record)
        self._values, self._forms = {}, set()

    def _read_names(self) -> tuple[str, ...]:
        """Return the values of the keys that name the record."""
        return tuple(self._values.get(form, ("", 0))[0][:WIDEST] for form in self.name_forms)

    def _keep_head(self, line: str, form: LineForm) -> None:
        if len(self.starts) <= _MAX_RECORDS:
            is_named = form.key and self._layout.begin != MARGIN and "<*>" not in form.form
            shown = form.value if is_named else ""
            self.heads.append(shown[:WIDEST] or " ".join(line.split())[:WIDEST].rstrip(" :{"))

    def _extend_head(self, line: str) -> None:
        """Add a second line without a key to the head of a record."""
        if len(self.starts) <= _MAX_RECORDS:
            self.heads[-1] = f"{self.heads[-1]}: {' '.join(line.split())}"[:WIDEST]

    def _add_form(self, form: LineForm, number: int) -> None:
        self._forms.add(form.form)
        if not form.key or (self._layout.begin == MARGIN and not form.indent):
            return
        before = self._values.get(form.form)
        if before:
            self.keys[form.form].lines += 1
            self.keys[form.form].varies |= before[0] != form.value
            return
        if form.form not in self.keys:
            if len(self.keys) >= _MAX_FORMS:
                self.unread += 1
                return
            self.keys[form.form] = RecordKey(form.key, form.form, form.indent)
        self._values[form.form] = (form.value, number)

    def _compare_pair(self, pair: KeyPair, record: int) -> None:
        first, second = self._values.get(pair.first), self._values.get(pair.second)
        if not first or not second:
            return
        if first[0] == second[0]:
            pair.same += 1
            return
        pair.other += 1
        if len(pair.differences) < _MAX_PLACES:
            pair.differences.append((second[1], record, first[0], second[0]))


def find_equal_pairs(keys: Sequence[RecordKey]) -> list[tuple[str, str]]:
    """Return pairs of keys that share most values, each of them with several values."""
    rich = [key for key in keys if len(key.values) > 2]
    pairs = []
    for first, second in combinations(rich[:40], 2):
        shared = len(first.values.keys() & second.values.keys())
        if shared >= 0.7 * max(len(first.values), len(second.values)):
            pairs.append((first.form, second.form))
    return pairs[:_MAX_PAIRS]


def read_number(text: str) -> tuple[str, float] | None:
    """Return the unit and the size of a number, or ``date`` and a sortable number for a date, or None."""
    if not (text[:1].isdigit() or text[:1] in "+-" or text[:3] in _DATE_WORDS):
        return None
    match = _NUMBER.fullmatch(text)
    if match is None:
        return _read_date(text)
    unit = match[2] or ""
    scale = _BYTES.fullmatch(unit)
    factor = _SCALES[scale[1].lower()] if scale and len(unit) <= 3 and unit not in ("m", "t", "g") else 1.0
    return ("bytes" if factor != 1.0 or unit == "B" else unit, float(match[1].replace(",", "")) * factor)


def _read_date(text: str) -> tuple[str, float] | None:
    """Return ``date`` and a sortable number for a date, or None."""
    date = _ISO_DATE.match(text)
    if date:
        return "date", float("".join(part or "00" for part in date.groups()))
    named = _NAMED_DATE.match(text)
    if named and named[1] in _MONTHS:
        month, day, *clock, year = named.groups()
        return "date", float(f"{year}{_MONTHS.index(month) + 1:02}{int(day):02}{''.join(clock)}")
    return None
