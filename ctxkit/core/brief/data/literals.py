"""Keys and values of JSON as a map writes them."""

import re
from typing import Any

from ctxkit.core.brief.data.columns import NumberColumn, StringColumn, ValueColumn
from ctxkit.core.text.measure import pluralize

PLAIN = re.compile(r"[^\W\d][\w$-]*").fullmatch
STEP = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
"""A key that a path of jq takes without quotes."""
MAX_LISTED_VALUES = 12
"""Different values up to which all are listed."""
MAX_LIST_LENGTH = 240
"""Characters that a list of values may take."""


def format_step(key: str) -> str:
    """Return a key as a step of a path."""
    return f".{key}" if STEP(key) and len(key) <= 60 else f"[{quote_string(key, 60)}]"


def format_values(column: ValueColumn) -> str:
    """Return every different value with its count; of many, the most frequent and how many more."""
    seen = column.seen
    if not seen or (len(seen) * 2 > column.count and not _is_short(seen)):
        return ""
    if column.count == 1:
        return "" if isinstance(column, StringColumn) else format_literal(next(iter(seen)))
    if isinstance(column, NumberColumn) and (len(seen) > 6 or column.not_finite):
        return ""
    ranked = sorted(seen.items(), key=lambda item: -item[1][0])
    parts: list[str] = []
    for value, (count, _) in ranked[: MAX_LISTED_VALUES if len(ranked) <= MAX_LISTED_VALUES else 6]:
        if parts and sum(map(len, parts)) > MAX_LIST_LENGTH:
            break
        parts.append(f"{format_literal(value)} ×{count:,}")
    if len(parts) < len(ranked):
        parts.append(f"+{pluralize(len(ranked) - len(parts), 'more value')}")
    return ", ".join(parts)


def _is_short(seen: dict[Any, list[int]]) -> bool:
    """Say whether different values are few enough to be listed although hardly one repeats."""
    return len(seen) <= 3 or (len(seen) <= 6 and sum(len(str(value)[:80]) for value in seen) <= 80)


def format_literal(value: Any) -> str:
    """Return a scalar as JSON writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote_string(value, 80) if isinstance(value, str) else format_number(value)


def format_number(value: float) -> str:
    """Return a number exactly, or when it is longer than anyone reads, how long it is."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"an integer of about {value.bit_length() * 30_103 // 100_000 + 1:,} digits"
    return str(value)


def decode_surrogates(text: str) -> str:
    """Return text whose undecodable bytes were kept as surrogates, as a document shows it."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def quote_string(text: str, width: int) -> str:
    """Return a string in quotes on one line, cut to ``width`` characters with a mark."""
    from json import dumps

    cut = text[:width]
    shown = dumps(cut, ensure_ascii=not cut.isprintable())
    return shown if len(text) <= width else f"{shown}[+{len(text) - width:,} chars]"
