"""What is odd among records: keys that few have, values unlike the others, keys that should agree and do not."""

from collections.abc import Iterator
from math import isclose

from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.outline import Entry, quote
from ctxkit.core.brief.shapes.record_names import format_name
from ctxkit.core.brief.shapes.record_reader import KeyPair, RecordKey, RecordReader, Value
from ctxkit.core.brief.shapes.value_ranges import Extreme
from ctxkit.core.lazy_pattern import compile_lazily

MAX_SINGLES = 10
"""Maximum number of quoted lines for keys that few records have, per record."""
MAX_ODD_RECORDS = 12
MANY_KEYS, FEW_KEYS = 12, 5
"""Maximum number of rare keys that are named of a record, and in a small map."""
MAX_RARE_VALUES = 4
MAX_KEY_WORDS = 3
"""Maximum number of words of a rare key; a longer text before a colon is a sentence."""
IDENTIFIER = compile_lazily(r"(?i)serial|\bid\b|_id$|uuid|hash|fingerprint|inode")
"""Pattern of keys whose numbers have no order."""
CLASS = compile_lazily(r"(?i)(?:^|[._ -])(?:kind|type|class|status|state|level|severity)$")
"""Pattern of keys whose values are classes of records."""
SAME_IN_ALL = 6
"""How little a key tells that has the same value in all records."""
RARE = 0.1
"""Maximum share of the records for a rare key or a rare value."""
SAME = 0.7
"""Minimum share of the records in which two keys agree, so that the others are odd."""


def list_differences(reader: RecordReader) -> Iterator[Entry]:
    """Yield entries on pairs of keys that agree in most records, with the records in which they do not."""
    for pair in reader.pairs:
        total = pair.same + pair.other
        if pair.other and pair.same >= SAME * total:
            yield _describe_pair(pair, total, reader)


def _describe_pair(pair: KeyPair, total: int, reader: RecordReader) -> Entry:
    first, second = reader.keys[pair.first].name, reader.keys[pair.second].name
    below = tuple(
        Entry(f"{format_name(reader, record)}: {first} {a or '(empty)'}, {second} {b or '(empty)'}", line, line, 2)
        for line, record, a, b in pair.differences
    )
    return Entry(f"{second} is not {first} in {pair.other:,} of {total:,}", rank=2, children=below)


def list_rare_keys(reader: RecordReader, document: InputDocument) -> Iterator[Entry]:
    """Yield entries on the records with keys that few others have, with the lines quoted."""
    total = len(reader.starts)
    most = max(1, int(total * RARE))
    by_record: dict[int, list[RecordKey]] = {}
    usual = {key.name for key in reader.keys.values() if key.count > most}  # with another indentation
    for key in reader.keys.values():
        filled = key.empty < key.count and key.name.count(" ") < MAX_KEY_WORDS and key.name not in usual
        if filled and key.count <= most and key.count * 2 < total:
            by_record.setdefault(key.places.records[0], []).append(key)
    ranked = sorted(by_record.items(), key=lambda item: (min(key.count for key in item[1]), item[0]))
    for place, (record, keys) in enumerate(ranked[:MAX_ODD_RECORDS]):
        yield _describe_rare_keys(record, sorted(keys, key=lambda key: key.places.lines[0]), place, reader, document)


def _describe_rare_keys(
    record: int, keys: list[RecordKey], place: int, reader: RecordReader, document: InputDocument
) -> Entry:
    lines = [key.places.lines[0] for key in keys]
    filled = [line for key, line in zip(keys, lines, strict=True) if key.values or key.overflow]
    step = max(len(filled) / MAX_SINGLES, 1.0)
    shown = [filled[int(at * step)] for at in range(min(len(filled), MAX_SINGLES))]
    rank = 4 + place // 4
    quotes = tuple(quote(line, document.lines.at(line), rank=rank + at // 4) for at, line in enumerate(shown))
    most = FEW_KEYS if document.target < ROOMY_TARGET else MANY_KEYS
    names = ", ".join(key.name for key in keys[:most]) + (f", +{len(keys) - most:,}" if len(keys) > most else "")
    end = reader.starts[record + 1] - 1 if record + 1 < len(reader.starts) else document.lines.total
    label = f"{format_name(reader, record)} has keys that few have: {names}"
    return Entry(label, reader.starts[record], end, 3 + place // 6, children=quotes)


def describe_values(key: RecordKey, reader: RecordReader) -> tuple[int, str]:
    """Return how much the values of a key tell (0 most), and the values: their counts, or the lowest and highest."""
    filled = key.count - key.empty
    if not filled or key.varies:
        return 9, ""
    ordered = sorted(key.values.values(), key=lambda value: -value.count)
    top = ordered[0]
    if len(ordered) == 1 and not key.overflow:
        return (5, f"{top.text[:60]} {top.count:,}, empty {key.empty:,}") if key.empty else (SAME_IN_ALL, top.text)
    least = 2 if CLASS.search(key.name) else 3
    if not key.overflow and len(ordered) <= 12 and len(ordered) * least <= filled:
        return _describe_counts(key, ordered, filled)
    low, high = key.range.low, key.range.high
    numeric = key.range.count >= 0.9 * filled and not IDENTIFIER.search(key.name)
    if low and high and numeric and not isclose(low.number, high.number):
        ends = (f"{end.text} ({_format_place(end, reader)})" for end in (low, high))
        return 3 if key.range.unit == "date" else 4, " to ".join(ends)
    if top.count * 2 > filled:
        return _describe_counts(key, ordered[:6], filled)
    return 7, ""


def _format_place(end: Extreme, reader: RecordReader) -> str:
    """Return the line of a value, with the name of its record if that is a word."""
    name = format_name(reader, end.record)[:40].rstrip()
    return f"line {end.line}, {name}" if any(char.isalpha() for char in name) and name[0] != "[" else f"line {end.line}"


def _describe_counts(key: RecordKey, ordered: list[Value], filled: int) -> tuple[int, str]:
    """Return the values with their counts; rare ones have their lines."""
    rare = max(RARE * filled, 1)
    separator = key.form[-1] if key.form[-1] == "=" else ": "
    parts = []
    for value in ordered[:8]:
        text, where = f"{value.text[:60]} {value.count:,}", ""
        if value.count <= rare:
            where = ", ".join(map(str, value.lines[:MAX_RARE_VALUES]))
            more = "..." if value.count > MAX_RARE_VALUES else ""
            text = f"{key.name}{separator}{text} (at {where}{more})"
        parts.append(text)
    more = f", +{len(ordered) - 8} values" if len(ordered) > 8 else ""
    odd = ordered[0].count >= 0.75 * filled and ordered[-1].count <= rare
    return 2 if odd else 5, ", ".join(parts) + more
