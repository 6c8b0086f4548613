"""A reader of records: where each begins, and the values of each key with their counts and lines."""

from array import array
from collections.abc import Iterable, Sequence
from itertools import combinations

from ctxkit.core.brief.shapes.line_forms import BLANK, LineForm, read_form
from ctxkit.core.brief.shapes.record_layout import LEADS, LEAST_TAIL, MARGIN, RecordLayout, is_common
from ctxkit.core.brief.shapes.value_ranges import ValueRange, read_number
from ctxkit.core.quick_dataclass import dataclass, field

MAX_FORMS = 1_000
"""Maximum number of distinct keys; lines with further ones are not counted by key."""
MAX_VALUES = 200
"""Maximum number of distinct values that are kept of a key."""
MAX_RECORDS = 20_000
"""Maximum number of records of which names are kept."""
MAX_PAIRS = 60
WIDEST = 100
"""Maximum number of characters of a value."""
MAX_PLACES = 12
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
        if len(self.lines) < MAX_PLACES:
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
            if len(self.values) >= MAX_VALUES:
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
        if len(self._known) < MAX_FORMS:
            self._known |= self._forms
        if regular or (record and self._layout.begin != LEADS):
            self._usual, self._rest = max(self._usual, self._rest), self._strange if record else 0
            self._regular_end = self._body_end
        if record < MAX_RECORDS:
            self.regular.append(regular)
            self.names.append(tuple(self._values.get(form, ("", 0))[0][:WIDEST] for form in self.name_forms))
        for form, (text, line) in self._values.items():
            self.keys[form].add(text, line, record)
        for pair in self.pairs:
            self._compare_pair(pair, record)
        self._values, self._forms = {}, set()

    def _keep_head(self, line: str, form: LineForm) -> None:
        if len(self.starts) <= MAX_RECORDS:
            is_named = form.key and self._layout.begin != MARGIN and "<*>" not in form.form
            shown = form.value if is_named else ""
            self.heads.append(shown[:WIDEST] or " ".join(line.split())[:WIDEST].rstrip(" :{"))

    def _extend_head(self, line: str) -> None:
        """Add a second line without a key to the head of a record."""
        if len(self.starts) <= MAX_RECORDS:
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
            if len(self.keys) >= MAX_FORMS:
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
        if len(pair.differences) < MAX_PLACES:
            pair.differences.append((second[1], record, first[0], second[0]))


def find_equal_pairs(keys: Sequence[RecordKey]) -> list[tuple[str, str]]:
    """Return pairs of keys that share most values, each of them with several values."""
    rich = [key for key in keys if len(key.values) > 2]
    pairs = []
    for first, second in combinations(rich[:40], 2):
        shared = len(first.values.keys() & second.values.keys())
        if shared >= 0.7 * max(len(first.values), len(second.values)):
            pairs.append((first.form, second.form))
    return pairs[:MAX_PAIRS]
