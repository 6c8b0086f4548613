"""Records: blocks of keys and values that follow each other, each named by its most telling value."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from ctxkit.core.brief.document import HEAD_BYTES, ROOMY_TARGET, Clues, InputDocument, count_matching
from ctxkit.core.brief.outline import Entry, Outline, Section, clean_line
from ctxkit.core.brief.render import count_outline_tokens
from ctxkit.core.brief.shapes.record_layout import BLANKS, LEADS, MARGIN, RULERS, RecordLayout, find_layout, read_forms
from ctxkit.core.brief.shapes.record_oddities import (
    SAME_IN_ALL,
    choose_names,
    cut_name,
    describe_values,
    format_name,
    has_plain_names,
    keep_indentation,
    list_differences,
    list_extras,
    list_rare_keys,
)
from ctxkit.core.brief.shapes.record_reader import RecordKey, RecordReader, find_equal_pairs
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.quick_dataclass import replace

NAME = "records"
TYPES: Sequence[str] = ()
CLUES = Clues((":", "="))
SAMPLE = 3_000
"""Maximum number of first lines from which the layout is read."""
CODE = compile_lazily(
    r"\s*+(?:(?:def|class|if|elif|else|for|while|try|except|with|return|import|func|fn|let|var|const|public|private)\b"
    r"|[})\]]+[;,]?\s*$|.{0,200}[;{]\s*$)"
)
"""Pattern of a line of source code."""
MOST_CODE = 0.15
"""Maximum share of lines that look like source code."""
LEAST_REGULAR = 0.85
"""Minimum share of all records that have most of the common keys."""
LEAST_FIT = 0.95
"""Minimum share of the first lines that belong to the records: what has more of other lines is output of its own, of
which the generic map knows more (``bench brief --suite fresh``)."""
MANY = 20
"""Number of records with a numbered head from which they may have different keys."""
PREAMBLE, FIRST, SMALL_FIRST, LAST, VERDICT = 40, 30, 10, 4, 12
"""Maximum numbers of lines quoted before the first record, of the first record, of that in a small map, at the end,
and at an end that is unlike the records."""
INDEX_SHARE, NAMES_SHARE = 45, 70
"""Percentages of the target that the index of the records may take, and that an index with all names may."""
BY_NAME = "Records by name"
TOKENS_PER_KEY, LEAST_KEYS, MOST_KEYS = 60, 6, 30
"""Tokens of the target for each key that is listed, and minimum and maximum number of listed keys."""
REPEATED = 2
"""Average number of lines of a key in a record from which they are counted."""
SHORT_VALUE = 40
"""Maximum number of characters of a value that all records have."""
TOKENS_PER_LINE, TOKENS_PER_NAME = 12, 5
"""Estimated minimum of tokens of a record on its own line, and of a record among others on a line."""
MAX_NAMED, NAME_WIDTH = 500, 40
"""Maximum number of records whose names are all listed, and maximum number of characters of each."""
STRIDES = (2, 3, 5, 10, 20, 50, 100, 250, 1_000, 5_000)
"""Numbers of records per range, if not all are named."""
KINDS_OF_START = {
    LEADS: "a line without a key",
    MARGIN: "an unindented line",
    BLANKS: "a blank line before",
    RULERS: "a ruler before",
}


def sniff(document: InputDocument) -> float:
    """Return the confidence that the text consists of blocks that share most of their keys."""
    layout = None if document.begins_with_traceback else _read_layout(document)
    if layout is None:
        return 0.0
    return 0.0 if layout.fit < LEAST_FIT else 0.62 if len(layout.common) >= 4 else 0.57


def _read_sample(document: InputDocument) -> tuple[list[str], bool]:
    """Return the first complete lines, and whether more follow."""
    lines = document.split_head(document.head)
    return lines[:SAMPLE], document.lines.size > HEAD_BYTES or len(lines) > SAMPLE


def _read_layout(document: InputDocument) -> RecordLayout | None:
    lines, cut = _read_sample(document)
    if "\0" in document.head or count_matching(CODE.match, lines) > MOST_CODE * len(lines):
        return None
    return find_layout(read_forms(lines), cut=cut)


def outline(document: InputDocument) -> Sequence[Outline] | None:
    """Return outlines of the records, or None if too many do not share the common keys, or other output follows."""
    layout = _read_layout(document)
    if layout is None:
        return None
    reader = _read_records(document, layout)
    regular = sum(reader.regular) / max(len(reader.regular), 1)
    if not reader.starts or (regular < LEAST_REGULAR and not ("<*>" in layout.begin and len(reader.starts) >= MANY)):
        return None
    if reader.find_tail():
        return None
    top, low = list(_make_top(reader, layout, document)), list(_make_low(reader, document))
    return [Outline(NAME, (*top, _choose_index(reader, document), *low))]


def _choose_index(reader: RecordReader, document: InputDocument) -> Section:
    """Return the most detailed index of the records that leaves space for the rest."""
    index = Section("", ())
    for index in _make_indexes(reader, document):
        share = NAMES_SHARE if index.title.startswith(BY_NAME) else INDEX_SHARE
        if count_outline_tokens(Outline(NAME, (index,)), document) <= document.target * share // 100:
            break
    return replace(index, covered=document.target < ROOMY_TARGET)


def _read_records(document: InputDocument, layout: RecordLayout) -> RecordReader:
    """Read all records, with the names and pairs of keys that the first ones suggest."""
    lines, _ = _read_sample(document)
    first = RecordReader(layout)
    first.add_lines(enumerate(lines, 1))
    first.finish_record()
    reader = RecordReader(layout, choose_names(first, layout), find_equal_pairs(list(first.keys.values())))
    reader.add_lines(document.lines.enumerate_lines())
    reader.finish_record()
    return reader


def _make_top(reader: RecordReader, layout: RecordLayout, document: InputDocument) -> Iterator[Section]:
    """Yield the sections on all records, the lines before them, the odd ones, and the values of their keys."""
    yield Section("", tuple(_summarize(reader, layout, document)))
    begin = reader.starts[0]
    before = document.lines.enumerate_lines(1, min(PREAMBLE, begin - 1)) if begin > 1 else ()
    rows = tuple(_quote_rows(before, 2))
    yield Section("before the first record", rows, "lines", bare=True, covered=True)
    odd = (*list_differences(reader), *list_rare_keys(reader, document))
    yield Section("Odd records", tuple(odd), noun="odd records")
    is_small = document.target < ROOMY_TARGET
    yield Section("Values", tuple(_list_values(reader)), noun="keys", covered=is_small)


def _summarize(reader: RecordReader, layout: RecordLayout, document: InputDocument) -> Iterator[Entry]:
    starts = reader.starts
    sizes = [b - a for a, b in pairwise([*starts, document.lines.total + 1])]
    how = KINDS_OF_START.get(layout.begin) or f"a line like `{clean_line(document.lines.at(starts[0]), 60)}`"
    span = f"{min(sizes):,} to {max(sizes):,} lines" if min(sizes) < max(sizes) else f"{sizes[0]:,} lines"
    label = f"{len(starts):,} records of {span}; each begins with {how}"
    if len(set(reader.heads)) == 1:
        label = f"{len(starts):,} records of {span}: `{_read_head(reader, document)}` {len(starts):,} times"
    yield Entry(label, starts[0], document.lines.total)
    every = [key.name for key in reader.keys.values() if key.count == len(starts)]
    if every:
        most = min(max(document.target // TOKENS_PER_KEY, LEAST_KEYS), MOST_KEYS)
        more = f", +{len(every) - most:,}" if len(every) > most else ""
        yield Entry(f"keys in all records: {', '.join(every[:most])}{more}", rank=1)
    repeated = [key for key in reader.keys.values() if key.lines > REPEATED * key.count]
    if repeated:
        repeated.sort(key=lambda key: -key.lines)
        rows = (f"{key.name} {key.lines:,}" for key in repeated[:LEAST_KEYS])
        yield Entry(f"lines of keys that come again in a record: {', '.join(rows)}", rank=1)


def _read_head(reader: RecordReader, document: InputDocument) -> str:
    """Return the first line of the first record."""
    return clean_line(document.lines.at(reader.starts[0]), 60)


def _list_values(reader: RecordReader) -> Iterator[Entry]:
    """Yield an entry for each key whose values say something about the records."""
    total = len(reader.starts)
    common = [key for key in reader.keys.values() if key.count * 3 >= total]
    rated = ((*describe_values(key, reader), key) for key in common)
    shown: set[tuple[str, str]] = set()
    constant = _find_constant_names(reader)
    same: list[str] = []
    for rate, text, key in sorted(rated, key=lambda item: item[0]):
        fact = (key.name, text.partition(" (")[0])
        if not text or fact in shown:
            continue
        shown.add(fact)
        if rate == SAME_IN_ALL and key.name not in constant:
            continue
        if rate == SAME_IN_ALL:
            same.append(f"{key.name} {text if len(text) <= SHORT_VALUE else text[: SHORT_VALUE - 3] + '...'}")
        else:
            yield Entry(f"{key.name}{_format_presence(key, total)}: {text}", rank=2 + rate)
    if same:
        more = f", +{len(same) - 30}" if len(same) > 30 else ""
        yield Entry(f"the same wherever it stands: {', '.join(same[:30])}{more}", rank=5)


def _find_constant_names(reader: RecordReader) -> set[str]:
    """Return the names of keys that have one value in all places and at all indentations."""
    values: dict[str, set[str]] = {}
    for key in reader.keys.values():
        known = values.setdefault(key.name, set())
        known.update([*list(key.values)[:2], *(["", "\n"] if key.varies or key.overflow or key.empty else [])])
    return set() if reader.unread else {name for name, texts in values.items() if len(texts) == 1}


def _format_presence(key: RecordKey, total: int) -> str:
    return f" (in {key.count:,} of {total:,})" if key.count < total else ""


def _make_indexes(reader: RecordReader, document: InputDocument) -> Iterator[Section]:
    """Yield sections that list the records, each shorter than the one before."""
    count = len(reader.starts)
    if count * TOKENS_PER_LINE <= document.target:
        yield from (_make_line_index(reader, document, extras) for extras in (3, 2, 1, 0))
    if count * TOKENS_PER_NAME <= document.target and has_plain_names(reader):
        yield _make_short_index(reader)
    if count <= MAX_NAMED and has_plain_names(reader):
        yield from (_make_name_index(reader, document, stride) for stride in STRIDES[:4] if count >= 2 * stride)
    for stride in STRIDES:
        if count >= 2 * stride and count // stride <= document.target // 10:
            yield _make_stride_index(reader, document, stride)


def _make_short_index(reader: RecordReader) -> Section:
    """Return a section with the name of each record."""
    entries = tuple(
        Entry(cut_name(format_name(reader, record), 60) or "-", start, start, 3, dense=True)
        for record, start in enumerate(reader.starts)
    )
    return Section("Records, each after its first line", entries, noun="records", tight=True)


def _make_line_index(reader: RecordReader, document: InputDocument, extras: int) -> Section:
    names = [reader.keys[form].name for form in reader.name_forms[1:] if form in reader.keys]
    ends = [*(start - 1 for start in reader.starts[1:]), document.lines.total]
    entries = []
    for record, (start, end) in enumerate(zip(reader.starts, ends, strict=True)):
        more = list_extras(reader, record, extras, names)
        entries.append(Entry("; ".join([format_name(reader, record) or "-", *more]), start, end, 3))
    head = f", each from `{_read_head(reader, document)}`" if len(set(reader.heads)) == 1 else ""
    return Section(f"Records{head}", tuple(entries), noun="records")


def _make_name_index(reader: RecordReader, document: InputDocument, stride: int) -> Section:
    """Return a section with ranges of records, each with all of its names."""
    starts = reader.starts
    entries = []
    for first in range(0, len(starts), stride):
        after = min(first + stride, len(starts))
        end = starts[after] - 1 if after < len(starts) else document.lines.total
        names = [cut_name(format_name(reader, record), NAME_WIDTH) or "-" for record in range(first, after)]
        entries.append(Entry("; ".join(names), starts[first], end, 3))
    return Section(f"{BY_NAME}, {stride} per range", tuple(entries), noun="ranges")


def _make_stride_index(reader: RecordReader, document: InputDocument, stride: int) -> Section:
    """Return a section with ranges of records, each with its first and last name."""
    starts = reader.starts
    entries = []
    for first in range(0, len(starts), stride):
        last = min(first + stride, len(starts)) - 1
        end = starts[last + 1] - 1 if last + 1 < len(starts) else document.lines.total
        ends = dict.fromkeys(name for at in (first, last) if (name := cut_name(format_name(reader, at), 50)))
        label = f"{last - first + 1:,} records" + (f", {' to '.join(ends)}" if ends else "")
        entries.append(Entry(label, starts[first], end, 3))
    head = f" from `{_read_head(reader, document)}`" if len(set(reader.heads)) == 1 else ""
    return Section(f"Records{head}, by range", tuple(entries), noun="ranges")


def _make_low(reader: RecordReader, document: InputDocument) -> Iterator[Section]:
    """Yield the first regular record and the end as they stand."""
    first = next((at for at, regular in enumerate(reader.regular) if regular), 0)
    start = reader.starts[first]
    end = reader.starts[first + 1] - 1 if first + 1 < len(reader.starts) else document.lines.total
    is_small = document.target < ROOMY_TARGET
    rows = document.lines.enumerate_lines(start, min(end, start + (SMALL_FIRST if is_small else FIRST) - 1))
    quotes = tuple(_quote_rows(rows, 4 if is_small else 12))
    yield Section("a record", quotes, "lines", bare=True, covered=True)
    yield _quote_end(reader, end + 1, document)


def _quote_end(reader: RecordReader, begin: int, document: InputDocument) -> Section:
    """Return the last lines; more of them, and earlier, if they are unlike those of records."""
    total = document.lines.total
    rows = document.lines.texts(max(total - VERDICT + 1, begin), total)
    if not rows:
        return Section("", ())
    known = {form.form for form in read_forms(_read_sample(document)[0][: SAMPLE // 2])} | reader.keys.keys()
    strange = [place for place, form in enumerate(read_forms(rows)) if form.form and form.form not in known]
    shown = rows[-LAST:] if len(strange) < 2 else rows
    numbered = [(total - len(shown) + 1 + place, text) for place, text in enumerate(shown)]
    rank = 10 if len(strange) < 2 else 1
    return Section("the end", tuple(_quote_rows(numbered, rank)), "lines", bare=True, covered=True)


def _quote_rows(rows: Iterable[tuple[int, str]], rank: int) -> Iterator[Entry]:
    """Yield verbatim entries for consecutive lines, with their indentation."""
    for place, (number, text) in enumerate(rows):
        yield Entry(keep_indentation(text), number, number, rank + place // 4, verbatim=True)
