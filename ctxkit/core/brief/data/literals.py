"""Formatting of JSON keys and values in outlines."""

import re
from collections.abc import Sequence

from ctxkit.core.brief.data.columns import NumberColumn, StringColumn, ValueColumn
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.lines import measure_common_prefix
from ctxkit.core.text.quantity import pluralize

PLAIN = re.compile(r"[^\W\d][\w$-]*").fullmatch
STEP = re.compile(r"[A-Za-z_][A-Za-z0-9_]*").fullmatch
"""Pattern of a key that a jq path accepts without quotes."""
MAX_LISTED_VALUES = 12
"""Maximum number of distinct values that are all listed."""
MAX_LIST_LENGTH = 240
"""Maximum number of characters of a list of values."""


def format_step(key: str) -> str:
    """Return a key as a step of a path."""
    return f".{key}" if STEP(key) and len(key) <= 60 else f"[{quote_string(key, 60)}]"


def format_values(column: ValueColumn) -> str:
    """Return the distinct values with their counts; of many values, the most frequent and the number of others."""
    seen = column.seen
    if not seen or (len(seen) * 2 > column.count and not _is_short(seen)):
        return ""
    if column.count == 1:
        return "" if isinstance(column, StringColumn) else format_literal(next(iter(seen)))
    if isinstance(column, NumberColumn) and (len(seen) > 6 or column.not_finite):
        return ""
    return _join_counted(sorted(((value, count) for value, (count, _) in seen.items()), key=lambda item: -item[1]))


def _join_counted(ranked: Sequence[tuple[JsonValue, int]]) -> str:
    parts: list[str] = []
    for value, count in ranked[: MAX_LISTED_VALUES if len(ranked) <= MAX_LISTED_VALUES else 6]:
        if parts and sum(map(len, parts)) > MAX_LIST_LENGTH:
            break
        parts.append(f"{format_literal(value)} ×{count:,}")
    if len(parts) < len(ranked):
        parts.append(f"+{pluralize(len(ranked) - len(parts), 'more value')}")
    return ", ".join(parts)


def _is_short(seen: dict[JsonValue, list[int]]) -> bool:
    """Return whether the distinct values are few and short enough to list, although almost none repeats."""
    return len(seen) <= 3 or (len(seen) <= 6 and sum(len(str(value)[:80]) for value in seen) <= 80)


def format_literal(value: JsonValue) -> str:
    """Return a scalar in JSON syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return quote_string(value, 80) if isinstance(value, str) else format_number(value)


def format_number(value: float) -> str:
    """Return a number exactly, or its number of digits if it is very long."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"an integer of about {value.bit_length() * 30_103 // 100_000 + 1:,} digits"
    return str(value)


def decode_surrogates(text: str) -> str:
    """Return text with replacement characters instead of surrogates for undecodable bytes."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def split_folder(keys: Sequence[str]) -> tuple[str, list[str]]:
    """Return the folder that all keys share as paths, with its slash, and what follows it in each key."""
    first, last = min(keys, default=""), max(keys, default="")
    size = measure_common_prefix(first, last)
    folder, slash, _ = first[:size].rpartition("/")
    shared = folder + slash
    return shared, [key[len(shared) :] for key in keys]


def quote_string(text: str, width: int) -> str:
    """Return a string in quotes on one line, cut to ``width`` characters with a note of the rest."""
    from json import dumps

    cut = text[:width]
    shown = dumps(cut, ensure_ascii=not cut.isprintable())
    return shown if len(text) <= width else f"{shown}[+{len(text) - width:,} chars]"
