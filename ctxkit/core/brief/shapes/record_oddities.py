"""What is odd among records: keys that few have, values unlike the others, keys that should agree and do not."""

import re
from collections.abc import Iterator, Sequence
from math import inf, isclose

from ctxkit.core.brief.document import ROOMY_TARGET, InputDocument
from ctxkit.core.brief.outline import Entry, clean_line, quote
from ctxkit.core.brief.shapes.record_layout import LEADS, MARGIN, RecordLayout
from ctxkit.core.brief.shapes.record_reader import Extreme, KeyPair, RecordKey, RecordReader, Value, read_number
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.escapes import strip_escapes
from ctxkit.core.text.quantity import pluralize

_NAME_WORDS = (
    *("name", "label", "subject", "title", "package", "filename", "file", "path", "summary", "ssid", "id", "device"),
    *("host", "hostname", "user", "query", "table", "uuid", "uri", "url", "address", "slot", "check", "resource"),
)
"""Words of keys that usually name a record, the best first."""
_TELLING_WORDS = frozenset((
    *("version", "status", "state", "type", "kind", "size", "date", "after", "before", "duration", "user", "author"),
    *("summary", "description", "geometry", "format", "installed", "candidate", "signal", "level", "result"),
    *("severity", "priority", "class", "vendor", "pid", "value"),
))
_HASH = compile_lazily(r"0x[0-9a-fA-F]+(?: .*)?|(?:0x)?[0-9a-fA-F:-]{12,}(?: .*)?")
_COMMON_NAME = compile_lazily(r"(?:^|, |/)(CN ?= ?[^,/]{1,80})")
_MAX_EXTRAS = 3
_WORD = compile_lazily(r"[^\W\d_]{3,}")
_NAME_START = 30
"""Number of first characters of a name that say whether it begins with identifiers for machines."""
_OPAQUE_WIDTH, _OPAQUE_WORDS, _OPAQUE_BEATEN = 16, 0.3, 0.5
"""Minimum number of characters of an identifier for machines, the share of words that it stays below, and the rating
of a key that names records better than such identifiers."""
_COMMON = 0.6
"""Minimum share of the records that have a key that names them."""
_MAX_SINGLES = 10
"""Maximum number of quoted lines for keys that few records have, per record."""
_MAX_ODD_RECORDS = 12
_MANY_KEYS, _FEW_KEYS = 12, 5
"""Maximum number of rare keys that are named of a record, and in a small map."""
_MAX_RARE_VALUES = 4
_MAX_KEY_WORDS = 3
"""Maximum number of words of a rare key; a longer text before a colon is a sentence."""
_IDENTIFIER = compile_lazily(r"(?i)serial|\bid\b|_id$|uuid|hash|fingerprint|inode")
"""Pattern of keys whose numbers have no order."""
_CLASS = compile_lazily(r"(?i)(?:^|[._ -])(?:kind|type|class|status|state|level|severity)$")
"""Pattern of keys whose values are classes of records."""
SAME_IN_ALL = 6
"""How little a key tells that has the same value in all records."""
RARE = 0.1
"""Maximum share of the records for a rare key or a rare value."""
_SAME = 0.7
"""Minimum share of the records in which two keys agree, so that the others are odd."""


def list_differences(reader: RecordReader) -> Iterator[Entry]:
    """Yield entries on pairs of keys that agree in most records, with the records in which they do not."""
    for pair in reader.pairs:
        total = pair.same + pair.other
        if pair.other and pair.same >= _SAME * total:
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
        filled = key.empty < key.count and key.name.count(" ") < _MAX_KEY_WORDS and key.name not in usual
        if filled and key.count <= most and key.count * 2 < total:
            by_record.setdefault(key.places.records[0], []).append(key)
    ranked = sorted(by_record.items(), key=lambda item: (min(key.count for key in item[1]), item[0]))
    for place, (record, keys) in enumerate(ranked[:_MAX_ODD_RECORDS]):
        yield _describe_rare_keys(record, sorted(keys, key=lambda key: key.places.lines[0]), place, reader, document)


def _describe_rare_keys(
    record: int, keys: list[RecordKey], place: int, reader: RecordReader, document: InputDocument
) -> Entry:
    lines = [key.places.lines[0] for key in keys]
    filled = [line for key, line in zip(keys, lines, strict=True) if key.values or key.overflow]
    step = max(len(filled) / _MAX_SINGLES, 1.0)
    shown = [filled[int(at * step)] for at in range(min(len(filled), _MAX_SINGLES))]
    rank = 4 + place // 4
    quotes = tuple(quote(line, document.lines.at(line), rank=rank + at // 4) for at, line in enumerate(shown))
    most = _FEW_KEYS if document.target < ROOMY_TARGET else _MANY_KEYS
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
    least = 2 if _CLASS.search(key.name) else 3
    if not key.overflow and len(ordered) <= 12 and len(ordered) * least <= filled:
        return _describe_counts(key, ordered, filled)
    ends = _describe_range(key, reader, filled)
    if ends:
        return ends[0], ends[1] + _describe_rest(key, ordered)
    if top.count * 2 > filled:
        return _describe_counts(key, ordered[:6], filled)
    return 7, ""


def _describe_range(key: RecordKey, reader: RecordReader, filled: int) -> tuple[int, str] | None:
    """Return how much the lowest and the highest number tell and the two, or None if few values are such numbers."""
    low, high = key.range.low, key.range.high
    numeric = key.range.count >= 0.9 * filled and not _IDENTIFIER.search(key.name)
    if not (low and high and numeric) or isclose(low.number, high.number):
        return None
    ends = (f"{end.text} ({_format_place(end, reader)})" for end in (low, high))
    return 3 if key.range.unit == "date" else 4, " to ".join(ends)


def _describe_rest(key: RecordKey, ordered: Sequence[Value]) -> str:
    """Return how many values of a key a range of numbers leaves out, with the most frequent of them."""
    rest = key.range.others + key.empty
    if not rest:
        return ""
    example = next((value.text[:30] for value in ordered if read_number(value.text) is None), "")
    such = f", such as {example}" if example else ", empty" if key.empty == rest else ""
    return f"; {pluralize(rest, 'other value')}{such}"


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
            where = ", ".join(map(str, value.lines[:_MAX_RARE_VALUES]))
            more = "..." if value.count > _MAX_RARE_VALUES else ""
            text = f"{key.name}{separator}{text} (at {where}{more})"
        parts.append(text)
    more = f", +{len(ordered) - 8} values" if len(ordered) > 8 else ""
    odd = ordered[0].count >= 0.75 * filled and ordered[-1].count <= rare
    return 2 if odd else 5, ", ".join(parts) + more


def choose_names(reader: RecordReader, layout: RecordLayout) -> list[str]:
    """Return the forms of up to four keys: the name, then those that tell most; the first is empty if heads name."""
    total = max(len(reader.starts), 1)
    keys = [key for key in reader.keys.values() if key.count >= _COMMON * total]
    named = sorted(((_rate_name(key), -place, key) for place, key in enumerate(keys)), reverse=True)
    name = named[0][2].form if named else ""
    if _heads_name(reader, layout, named[0][0] if named else 0.0):
        name = ""
    extras = sorted(((_rate_extra(key), -place, key) for place, key in enumerate(keys)), reverse=True)
    others = [key.form for rate, _, key in extras if rate > 0.3 and key.form not in (name, layout.begin)]
    return [name, *others[:_MAX_EXTRAS]]


def _heads_name(reader: RecordReader, layout: RecordLayout, best: float) -> bool:
    """Return whether the first lines name the records better than a key does that is rated ``best``."""
    total = max(len(reader.starts), 1)
    distinct = len(set(reader.heads)) / total
    if layout.begin == LEADS:
        return distinct > 0.5
    if layout.begin == MARGIN:
        return distinct > 0.8 or best < 0.6
    is_opaque = sum(map(_is_opaque_text, reader.heads)) * 2 > total
    if is_opaque and best >= _OPAQUE_BEATEN:
        return False
    return best < _rate_heads(reader, layout, distinct)


def _rate_heads(reader: RecordReader, layout: RecordLayout, distinct: float) -> float:
    """Return from which rate a key names the records better than their first lines, of which a share is distinct."""
    is_distinct = distinct > 0.8
    if is_distinct and "<*>" in layout.begin and "~" not in layout.begin:
        return inf
    head = reader.keys.get(layout.begin)
    if head is not None and _last_word(head) in _NAME_WORDS:
        return inf if distinct > 0.4 else -inf
    if "~" in layout.begin:
        return 0.8 if is_distinct else 0.3
    return 1.0 if is_distinct and not all(map(_HASH.fullmatch, reader.heads)) else 0.3


def has_plain_names(reader: RecordReader) -> bool:
    """Return whether most names are different words, not numbers."""
    names = {format_name(reader, record) for record in range(min(len(reader.starts), 400))}
    return len(names) * 2 > min(len(reader.starts), 400) and sum(map(_is_plain, names)) * 2 > len(names)


def _count_distinct(key: RecordKey) -> float:
    filled = key.count - key.empty
    return (len(key.values) + key.overflow) / filled if filled else 0.0


def _mean_length(key: RecordKey) -> float:
    return sum(map(len, key.values)) / max(len(key.values), 1)


def _rate_name(key: RecordKey) -> float:
    """Return how well the values of a key name records, from 0 to about 2."""
    distinct = _count_distinct(key)
    if distinct < 0.5 or key.empty * 2 > key.count:
        return 0.0
    word = _last_word(key)
    bonus = 1 - _NAME_WORDS.index(word) / len(_NAME_WORDS) if word in _NAME_WORDS else 0.0
    plain = sum(map(_is_plain, key.values)) / max(len(key.values), 1)
    return distinct * (0.4 + 0.4 * plain + bonus) * (1.0 if _mean_length(key) < 70 else 0.7)


def _rate_extra(key: RecordKey) -> float:
    """Return how well the values of a key describe their record."""
    distinct = _count_distinct(key)
    if len(key.values) < 2 or key.varies or key.empty * 2 > key.count:
        return 0.0
    short = max(1 - _mean_length(key) / 80, 0.0)
    telling = 0.5 if _last_word(key) in _TELLING_WORDS or _last_word(key) in _NAME_WORDS else 0.0
    plain = sum(not _HASH.fullmatch(text) for text in key.values) / len(key.values)
    return (min(distinct * 2, 1.0) + telling) * short * plain


def _is_plain(text: str) -> bool:
    """Return whether a value is a word or a phrase, not a number or a hash."""
    return any(char.isalpha() for char in text) and not _HASH.fullmatch(text) and not _is_opaque_text(text)


def _is_opaque_text(text: str) -> bool:
    """Return whether a text is an identifier for machines: long, and mostly digits, signs and single letters."""
    return len(text) >= _OPAQUE_WIDTH and sum(map(len, _WORD.findall(text))) < _OPAQUE_WORDS * len(text)


def _last_word(key: RecordKey) -> str:
    words = re.findall(r"[a-z]+", key.name.lower())
    return words[-1] if words else ""


def format_name(reader: RecordReader, record: int) -> str:
    """Return the name of a record: its telling value, or its first line."""
    name = reader.names[record][0] if record < len(reader.names) and reader.names[record] else ""
    return shorten_name(name or (reader.heads[record] if record < len(reader.heads) else ""))


def shorten_name(name: str) -> str:
    """Return the common name of a distinguished name as certificates have it, or else the name itself.

    Of a name that begins with identifiers for machines only the words remain, if it has any.
    """
    if match := _COMMON_NAME.search(name):
        return match[1]
    words = [word for word in name.split() if _WORD.search(word)] if _is_opaque_text(name[:_NAME_START]) else []
    return " ".join(words) or name


def cut_name(name: str, width: int) -> str:
    """Return a name of at most ``width`` characters; of a longer path, the end, which tells it from its neighbours."""
    if len(name) <= width:
        return name
    return f"...{name[3 - width :]}" if "/" in name and " " not in name[3 - width :] else name[:width].rstrip()


def list_extras(reader: RecordReader, record: int, most: int, keys: Sequence[str]) -> list[str]:
    """Return up to ``most`` further values of a record that differ from those before, each with its key."""
    values = reader.names[record] if record < len(reader.names) else ()
    known = set(values[:1])
    extras: list[str] = []
    for key, value in zip(keys, values[1:], strict=False):
        if value and value not in known and len(extras) < most:
            extras.append(f"{key} {value}")
        known.add(value)
    return extras


def keep_indentation(text: str, width: int = 200) -> str:
    """Return a line with its indentation and without control sequences, or cut if it is wider than ``width``."""
    if len(text) > width:
        return clean_line(text, width)
    if not text.isprintable():
        text = strip_escapes(text)
    return text.rstrip()
