"""The layout of records: the lines with which they begin, and the keys that they share."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.quick_dataclass import dataclass, field, replace
from ctxkit.core.text.escapes import strip_escapes

WIDEST = 400
"""Maximum number of characters of a line that are read."""
_MAX_WORDS = 4
"""Maximum number of first words that distinguish lines without a key."""
_KEY = compile_lazily(
    r"(?:[-*+|] )?(\(?(?:\d[\w-]{0,30}\.)?[A-Za-z_][\w.()/#%@+:\\,\[\]-]{0,60}?(?: \(?[\w.()/#%@+-]{1,30}){0,5}?)"
    r"[ \t]{0,40}(:(?=\s|$)|=>|=(?!=))[ \t]*(.*)"
)
"""Pattern of a key, its separator and its value."""
_DIGITS = compile_lazily(r"(?<!\S)[^\s\d]*+\d\S*+")
_NAMED = compile_lazily(r"(?![0-9a-fA-F]+\W*\Z)[^\W\d_]{2}")
"""Pattern of a word with digits that begins as a name, and is not hexadecimal."""
_NUMBER = compile_lazily(r"\d[\d.]*")
_HEX_BYTES = compile_lazily(r"[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2})+:?$")
_PERMISSIONS = compile_lazily(r"(?=\S*-)[-dlbcps]?(?:[-r][-w][-xsStTp]{1,2}){1,3}[+.@]?")
"""Pattern of the permissions of a file or of a mapping in memory."""
_RULER = compile_lazily(r"([-=*_#~+.]{1,2}?)\1{2,}\s*")
"""Pattern of a line that only separates: one or two characters, repeated."""
_NUMBERED_RULER = compile_lazily(r"[-*=]{1,40}\[? ?(?:RECORD )?\d+(?:\. row)? ?\]?[-*=+]{1,200}")
"""Pattern of the line before a record that is printed with one column on a line."""


class LineForm(NamedTuple):
    """Hold the form of a line: its indentation, a text that lines alike share, and its key and value if it has them."""

    indent: int
    form: str
    key: str = ""
    value: str = ""

    @property
    def is_blank(self) -> bool:
        """Return whether the line is blank."""
        return not self.form

    @property
    def is_ruler(self) -> bool:
        """Return whether the line only separates."""
        return self.form == "---"


BLANK = LineForm(0, "")
_MAX_CANDIDATES = 16
"""Maximum number of line forms that are tried as beginnings of records."""
_LEAST_RECORDS, _PAIR = 3, 2
"""Minimum number of records, and number that suffices if they have nearly all of their many keys in common."""
_ALIKE = 0.9
"""Minimum share of the forms of two records that both have."""
_MOST_REPEATED = 2
"""Maximum number of times that half of the common lines occur in a record; otherwise it consists of smaller ones."""
COMMON, _REGULAR, _OBEDIENT = 0.7, 0.6, 0.9
"""Share of the records that have a common form, of the common forms that a regular record has, and of the lines and
records that follow the layout."""
LEAST_KEYS, _LONG = 3, 8
"""Minimum number of keys that most records have, one less for records of at most so many lines."""
_COVERED = 0.75
"""Minimum share of the lines that follow the first record."""
_MANY_RECORDS, _PARTLY_COVERED = 10, 0.5
"""Number of records from which other output may follow them, and the share of the lines that they then cover."""
MANY_KEYS, _FREE = 6, 0.4
"""Number of common keys from which records may hold free text, and the share of lines that still follow the layout."""
_LEAST_LINES = 2.5
"""Minimum number of lines of an average record that are not blank."""
_MOST_KEYS_ABOVE = 8
"""Maximum number of keys by which the beginning of records moves up."""
MARGIN, BLANKS, RULERS, LEADS = "margin", "blank", "ruler", "lead"
LEAST_TAIL = 6
"""Minimum number of lines after the last record that are no part of it."""


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """Hold the beginning of records, and the forms that most of them have.

    ``begin`` is MARGIN for lines without indentation, BLANKS for lines after a blank line, RULERS for lines after a
    ruler, LEADS for lines without a key after one with a key, or else the form of the first line itself.
    ``fit`` is the share of lines and records that follow the layout.
    If ``is_titled``, each record has a line without a key above its keys.
    """

    begin: str
    indent: int
    common: frozenset[str] = field(default=frozenset())
    fit: float = 0.0
    is_titled: bool = False

    def is_start(self, form: LineForm, before: LineForm) -> bool:
        """Return whether a record begins at a line, given the form of the line before."""
        if form.is_blank or (form.is_ruler and self.begin != "---"):
            return False
        if self.begin == MARGIN:
            return form.indent == 0
        if self.begin == BLANKS:
            return before.is_blank
        if self.begin == RULERS:
            return before.is_ruler
        if self.begin == LEADS:
            return not form.key and form.indent == self.indent and bool(before.key or before.is_blank)
        return form.form == self.begin

    def is_regular(self, forms: set[str]) -> bool:
        """Return whether a record with these forms has most of the common ones."""
        return len(self.common & forms) >= _REGULAR * len(self.common)


def find_layout(forms: Sequence[LineForm], *, cut: bool) -> RecordLayout | None:
    """Return the layout that the lines follow best, or None; ``cut`` says that the last record may be incomplete."""
    layouts = [layout for start in _list_starts(forms) if (layout := _fit_layout(start, forms, cut=cut))]
    best = max(layouts, key=lambda layout: (round(layout.fit * 50), layout.is_titled), default=None)
    layout = best and _move_up(best, forms)
    return None if layout is None or _begins_too_late(layout, forms) else layout


def _begins_too_late(layout: RecordLayout, forms: Sequence[LineForm]) -> bool:
    """Return whether a key stands above the first record and nearly all others, but inside records as well.

    The records begin there, but that key does not tell where: each record would have the name of the next one.
    """
    starts = [place for place, form in enumerate(forms) if form.form == layout.begin]
    above = [forms[place - 1] if place else LineForm(0, "") for place in starts]
    if not above or not above[0].key:
        return False
    return sum(form.form == above[0].form for form in above) >= _OBEDIENT * len(starts)


def _move_up(layout: RecordLayout, forms: Sequence[LineForm]) -> RecordLayout:
    """Return the layout that begins with the key that nearly all records have right above their beginning.

    That key is the first of the records if something else at the beginning has it too, and so fits worse. Above the
    first record it must stand as well: otherwise it is the last key of the record before.
    """
    counts = Counter(form.form for form in forms)
    firsts = {form.form: place for place, form in reversed(list(enumerate(forms)))}
    for _ in range(_MOST_KEYS_ABOVE):
        above = Counter(first.form for first, second in pairwise(forms) if second.form == layout.begin and first.key)
        begin, count = next(iter(above.most_common(1)), ("", 0))
        is_first = {form.indent for form in forms if form.form == begin} == {layout.indent}
        if not is_first or count < max(_OBEDIENT * counts[layout.begin], 1) or counts[begin] > count + 1:
            break
        if firsts[begin] > firsts[layout.begin]:
            break
        layout = replace(layout, begin=begin)
    return layout


def _list_starts(forms: Sequence[LineForm]) -> Iterator[RecordLayout]:
    """Yield the beginnings to try: forms that are more frequent than all before, forms at the margin, and gaps."""
    counts = Counter(form.form for form in forms)
    indents = {form.form: form.indent for form in reversed(forms)}
    least = min((form.indent for form in forms if form.form), default=0)
    most = tried = 0
    for form in dict.fromkeys(form.form for form in forms):
        if counts[form] < _PAIR or not _can_begin(form):
            continue
        if tried < _MAX_CANDIDATES and (counts[form] > most or indents[form] == least):
            yield RecordLayout(form, indents[form])
            tried += 1
        most = max(most, counts[form])
    yield from (RecordLayout(begin, least) for begin in (MARGIN, BLANKS, RULERS, LEADS))


def _can_begin(form: str) -> bool:
    """Return whether lines of a form can begin records: they have a key, a number or a bracket."""
    return "~" not in form or "<*>" in form or "~[" in form


def _fit_layout(start: RecordLayout, forms: Sequence[LineForm], *, cut: bool) -> RecordLayout | None:
    """Return the layout with its common forms and its fit, or None if the lines do not follow it."""
    records = _split_records(start, forms, cut=cut)
    if not records:
        return None
    heads = int(start.begin == MARGIN)
    inner = [_list_forms(record[heads:]) for record in records]
    layout = RecordLayout(start.begin, start.indent, _find_common_forms(inner))
    while start.begin == LEADS and len(records) > _LEAST_RECORDS and not layout.is_regular(inner[-1]):
        del records[-1], inner[-1]
    if not cut:
        records[-1] = records[-1][: _find_body_end(records, layout.common)]
        inner[-1] &= _list_forms(records[-1])
    if len(records) < _LEAST_RECORDS and not _are_alike(records, inner):
        return None
    fit = _measure_fit(layout, records, inner, len(forms))
    is_titled = start.begin in (BLANKS, LEADS) and not any(record[0].key for record in records)
    return RecordLayout(start.begin, start.indent, layout.common, fit, is_titled) if fit else None


def _split_records(start: RecordLayout, forms: Sequence[LineForm], *, cut: bool) -> list[Sequence[LineForm]]:
    """Return the lines of each record, without the last if it is ``cut``, or nothing if the records are too few."""
    pairs = enumerate(pairwise((LineForm(0, ""), *forms)))
    places = [place for place, (before, form) in pairs if start.is_start(form, before)]
    marked = start.begin in (MARGIN, BLANKS, RULERS, LEADS)
    if len(places) < (_LEAST_RECORDS + cut if cut or marked else _PAIR):
        return []
    return [forms[begin:end] for begin, end in pairwise([*places, *([] if cut else [len(forms)])])]


def _list_forms(lines: Iterable[LineForm]) -> set[str]:
    return {line.form for line in lines}


def _find_common_forms(inner: Sequence[set[str]]) -> frozenset[str]:
    """Return the forms that most records have."""
    counts = Counter(form for names in inner for form in names)
    return frozenset(form for form, count in counts.items() if form and count >= COMMON * len(inner))


def _are_alike(records: Sequence[Sequence[LineForm]], inner: Sequence[set[str]]) -> bool:
    """Return whether two records have many keys, and nearly all of them in common."""
    keys = {form.form for form in records[0] if form.key}
    shared, every = inner[0] & inner[-1], inner[0] | inner[-1]
    return len(shared & keys) >= MANY_KEYS and len(shared) >= _ALIKE * len(every)


def _find_body_end(records: Sequence[Sequence[LineForm]], common: frozenset[str]) -> int:
    """Return the number of lines of the last record, without other output that follows it."""
    ends = [_find_last(record, common) for record in records]
    usual = max((len(record) - end for record, end in zip(records[:-1], ends, strict=False)), default=0)
    last, end = records[-1], ends[-1]
    known = {form.form for record in records[:-1] for form in record}
    strange = sum(form.form not in known for form in last[end:] if form.form and form.indent <= last[0].indent)
    is_followed = end > 0 and strange >= LEAST_TAIL and (strange > usual or strange * 2 > len(last) - end)
    return end if is_followed else len(last)


def _find_last(record: Sequence[LineForm], common: frozenset[str]) -> int:
    """Return the place after the last line of a record that has a common form."""
    return next((at for at in range(len(record), 0, -1) if is_common(record[at - 1], common)), 0)


def is_common(form: LineForm, common: frozenset[str]) -> bool:
    """Return whether a line has a common form with a word in it: any output may contain lines of numbers."""
    return form.form in common and any(map(str.isalpha, form.form))


def _measure_fit(
    layout: RecordLayout, records: Sequence[Sequence[LineForm]], inner: Sequence[set[str]], total: int
) -> float:
    """Return the share of lines and records that follow the layout, or 0 if they are too few."""
    lines = [form for record in records for form in record if form.form]
    keys = layout.common & {form.form for form in lines if form.key}
    if not _has_enough_keys(layout, lines, len(keys), len(records)):
        return 0.0
    judged = inner[:-1] if len(inner) >= _MANY_RECORDS else inner  # the last of many may be incomplete
    regular = sum(map(layout.is_regular, judged)) / len(judged)
    obedient = _measure_obedience(layout, lines, records)
    shared = sum(form.form in layout.common or bool(form.key) for form in lines) / len(lines)
    covered = sum(map(len, records)) / total
    least_covered = _COVERED if len(records) < _MANY_RECORDS else _PARTLY_COVERED
    strict = _OBEDIENT if len(keys) < MANY_KEYS else _FREE
    bars = ((regular, _OBEDIENT), (obedient, strict), (shared, 0.25), (covered, least_covered))
    if any(share < least for share, least in bars):
        return 0.0
    return regular * max(obedient, _OBEDIENT) * (0.5 + 0.5 * covered)


def _has_enough_keys(layout: RecordLayout, lines: Sequence[LineForm], keys: int, records: int) -> bool:
    """Return whether records have several lines, with several common keys of which most stand once in a record."""
    least = LEAST_KEYS if len(lines) > _LONG * records else LEAST_KEYS - 1
    if len(lines) < _LEAST_LINES * records or keys < least:
        return False
    counts = sorted(Counter(form.form for form in lines if form.form in layout.common).values())
    return counts[len(counts) // 2] <= _MOST_REPEATED * records


def _measure_obedience(layout: RecordLayout, lines: Sequence[LineForm], records: Sequence[Sequence[LineForm]]) -> float:
    """Return the share of lines that obey the layout; the first line of a record between gaps need not."""
    obedient = sum(_is_obedient(form, layout) for form in lines)
    if layout.begin in (BLANKS, LEADS):
        obedient += sum(not _is_obedient(record[0], layout) for record in records)
    return obedient / len(lines)


def _is_obedient(form: LineForm, layout: RecordLayout) -> bool:
    """Return whether a line belongs to a record: it is common, deeper than the first line, or a key with a value."""
    if form.form in layout.common or form.indent > layout.indent or form.is_ruler:
        return True
    return bool(form.key) and form.indent == layout.indent


def read_form(line: str) -> LineForm:
    """Return the form of a line."""
    if not line.isprintable():
        line = strip_escapes(line).expandtabs(8)
    text = line[:WIDEST].strip()
    if not text:
        return BLANK
    indent = len(line) - len(line.lstrip(" "))
    if text[0] in "-=*_#~+." and len(text) > 2 and _RULER.fullmatch(text):
        return LineForm(indent, "---")
    if text[0] in "*-=" and _NUMBERED_RULER.fullmatch(text):
        return LineForm(indent, "<*> row")
    match = _KEY.match(text)
    if match is None or _is_encoded(match[1], match[2], match[3]):
        return LineForm(indent, f"{indent}~{mask_words(text)}")
    key = match[1]
    return LineForm(indent, f"{indent}{_mask_key(key)}{match[2]}", key, match[3].strip())


def _is_encoded(key: str, separator: str, value: str) -> bool:
    """Return whether what looks like a key is hexadecimal bytes, or the end of a line of base64."""
    if separator == ":":
        return _HEX_BYTES.match(key) is not None
    return not value and (len(key) >= 20 or "+" in key or "/" in key) and " " not in key


def mask_words(text: str) -> str:
    """Return the first words of a text, each word with a digit and permissions masked."""
    words = text.split(maxsplit=_MAX_WORDS)[:_MAX_WORDS]
    return " ".join("<*>" if _is_variable(word) else word for word in words)


def _is_variable(word: str) -> bool:
    if word.isalpha():  # most words, and quick to tell
        return False
    return any(map(str.isdigit, word)) or ("-" in word and _PERMISSIONS.fullmatch(word) is not None)


@lru_cache(4_096)
def _mask_key(key: str) -> str:
    """Return a key with its numbers masked: ``MD5sum`` and ``SHA256`` are two keys, ``eth0`` and ``eth1`` are one."""
    return _DIGITS.sub(lambda word: _NUMBER.sub("<*>", word[0]) if _NAMED.match(word[0]) else "<*>", key)


def read_forms(lines: Sequence[str]) -> list[LineForm]:
    """Return the forms of lines."""
    return [read_form(line) for line in lines]
