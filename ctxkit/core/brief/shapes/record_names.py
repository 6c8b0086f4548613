"""The names of records: the keys whose values tell them apart."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.shapes.record_layout import LEADS, MARGIN, RecordLayout
from ctxkit.core.brief.shapes.record_reader import RecordKey, RecordReader
from ctxkit.core.lazy_pattern import compile_lazily

NAME_WORDS = (
    *("name", "label", "subject", "title", "package", "filename", "file", "path", "summary", "ssid", "id", "device"),
    *("host", "hostname", "user", "query", "table", "uuid", "uri", "url", "address", "slot", "check", "resource"),
)
"""Words of keys that usually name a record, the best first."""
TELLING_WORDS = frozenset((
    *("version", "status", "state", "type", "kind", "size", "date", "after", "before", "duration", "user", "author"),
    *("summary", "description", "geometry", "format", "installed", "candidate", "signal", "level", "result"),
    *("severity", "priority", "class", "vendor", "pid", "value"),
))
HASH = compile_lazily(r"0x[0-9a-fA-F]+(?: .*)?|(?:0x)?[0-9a-fA-F:-]{12,}(?: .*)?")
COMMON_NAME = compile_lazily(r"(?:^|, |/)(CN ?= ?[^,/]{1,80})")
MAX_EXTRAS = 3
WORD = compile_lazily(r"[^\W\d_]{3,}")
NAME_START = 30
"""Number of first characters of a name that say whether it begins with identifiers for machines."""
OPAQUE_WIDTH, OPAQUE_WORDS, OPAQUE_BEATEN = 16, 0.3, 0.5
"""Minimum number of characters of an identifier for machines, the share of words that it stays below, and the rating
of a key that names records better than such identifiers."""
COMMON = 0.6
"""Minimum share of the records that have a key that names them."""


def choose_names(reader: RecordReader, layout: RecordLayout) -> list[str]:
    """Return the forms of up to four keys: the name, then those that tell most; the first is empty if heads name."""
    total = max(len(reader.starts), 1)
    keys = [key for key in reader.keys.values() if key.count >= COMMON * total]
    named = sorted(((_rate_name(key), -place, key) for place, key in enumerate(keys)), reverse=True)
    name = named[0][2].form if named else ""
    if _heads_name(reader, layout, named[0][0] if named else 0.0):
        name = ""
    extras = sorted(((_rate_extra(key), -place, key) for place, key in enumerate(keys)), reverse=True)
    others = [key.form for rate, _, key in extras if rate > 0.3 and key.form not in (name, layout.begin)]
    return [name, *others[:MAX_EXTRAS]]


def _heads_name(reader: RecordReader, layout: RecordLayout, best: float) -> bool:
    """Return whether the first lines name the records better than a key does that is rated ``best``."""
    total = max(len(reader.starts), 1)
    head = reader.keys.get(layout.begin)
    distinct = len(set(reader.heads)) / total
    if layout.begin == LEADS:
        return distinct > 0.5
    if layout.begin == MARGIN:
        return distinct > 0.8 or best < 0.6
    is_opaque = sum(map(is_opaque_text, reader.heads)) * 2 > total
    if is_opaque and best >= OPAQUE_BEATEN:
        return False
    if "<*>" in layout.begin and "~" not in layout.begin and distinct > 0.8:
        return True
    if head is not None and _last_word(head) in NAME_WORDS:
        return distinct > 0.4
    if "~" in layout.begin:
        return best < (0.8 if distinct > 0.8 else 0.3)
    return best < 0.3 or (distinct > 0.8 and not all(map(HASH.fullmatch, reader.heads)) and best < 1.0)


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
    bonus = 1 - NAME_WORDS.index(word) / len(NAME_WORDS) if word in NAME_WORDS else 0.0
    plain = sum(map(_is_plain, key.values)) / max(len(key.values), 1)
    return distinct * (0.4 + 0.4 * plain + bonus) * (1.0 if _mean_length(key) < 70 else 0.7)


def _rate_extra(key: RecordKey) -> float:
    """Return how well the values of a key describe their record."""
    distinct = _count_distinct(key)
    if len(key.values) < 2 or key.varies or key.empty * 2 > key.count:
        return 0.0
    short = max(1 - _mean_length(key) / 80, 0.0)
    telling = 0.5 if _last_word(key) in TELLING_WORDS or _last_word(key) in NAME_WORDS else 0.0
    plain = sum(not HASH.fullmatch(text) for text in key.values) / len(key.values)
    return (min(distinct * 2, 1.0) + telling) * short * plain


def _is_plain(text: str) -> bool:
    """Return whether a value is a word or a phrase, not a number or a hash."""
    return any(char.isalpha() for char in text) and not HASH.fullmatch(text) and not is_opaque_text(text)


def is_opaque_text(text: str) -> bool:
    """Return whether a text is an identifier for machines: long, and mostly digits, signs and single letters."""
    return len(text) >= OPAQUE_WIDTH and sum(map(len, WORD.findall(text))) < OPAQUE_WORDS * len(text)


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
    if match := COMMON_NAME.search(name):
        return match[1]
    words = [word for word in name.split() if WORD.search(word)] if is_opaque_text(name[:NAME_START]) else []
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
