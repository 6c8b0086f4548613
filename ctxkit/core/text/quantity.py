"""Numbers, durations, sizes, switches and ranges as people write them: parse and format them."""

from ctxkit.core.named_tuple import NamedTuple

_DURATIONS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_NUMBERS = {"k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_MAX_BYTES = 2.0**63
_SIZES = {"b": 0, "k": 1, "kb": 1, "m": 2, "mb": 2, "g": 3, "gb": 3, "t": 4, "tb": 4}


def parse_duration(text: str) -> float:
    """Return a duration in seconds; a bare number is seconds. Raise ValueError if it is not a duration."""
    number, unit = _split_unit(text)
    if number < 0 or (unit and unit not in _DURATIONS):
        raise ValueError(f"{text[:80]!r} is not a duration such as 500ms, 90s, 30m, 24h, 7d or 2w")
    return number * _DURATIONS.get(unit, 1)


def parse_number(text: str) -> int:
    """Return a whole number, also one such as 8k or 1.5M, in powers of 1000. Raise ValueError if it is not one."""
    try:
        return int(text)
    except ValueError:
        pass
    digits, unit = text.strip()[:-1], text.strip()[-1:].lower()
    try:
        number = float(digits) * _NUMBERS[unit]
        if number == int(number):
            return int(number)
    except (KeyError, ValueError, OverflowError):
        pass
    raise ValueError(f"{text[:80]!r} is not a whole number such as 8000, 8k or 1M")


def parse_size(text: str) -> int:
    """Return a size in bytes, in powers of 1024; a bare number is bytes. Raise ValueError if it is not a size."""
    number, unit = _split_unit(text)
    if number < 0 or (unit and unit not in _SIZES):
        raise ValueError(f"{text[:80]!r} is not a size such as 500KB, 200MB or 2GB")
    size = number * 1024 ** _SIZES.get(unit, 0)
    if size > _MAX_BYTES:
        raise ValueError(f"{text[:80]!r} is more than any disk holds")
    return int(size)


def parse_share(text: str) -> float:
    """Return a share above 0 and up to 1, written as 0.8 or 80%. Raise ValueError if it is not a share."""
    number = text.strip()
    try:
        share = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise ValueError(f"{text!r} is not a share such as 0.8 or 80%")
    return share


def _split_unit(text: str) -> tuple[float, str]:
    """Return a number and its unit; -1 for a number that is negative, infinite or not there."""
    text = text.strip().lower()
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    try:
        number = float(digits)
    except ValueError:
        number = -1.0
    return number if 0 <= number < float("inf") else -1.0, text[len(digits) :].strip()


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 line``, ``2,000 lines``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def format_size(size: int) -> str:
    """Return a number of bytes for people: ``847 bytes``, ``24 KB``, ``1.5 MB`` (powers of 1024)."""
    if size < 1024:
        return pluralize(size, "byte")
    value = float(size)
    for unit in ("KB", "MB", "GB"):
        value /= 1024
        if value < 999.5 or unit == "GB":
            break
    return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"


OFF_VALUES = ("", "0", "false", "no", "off")
"""Values that switch off, in any case; any other value switches on."""


def is_on(value: str) -> bool:
    """Return whether a value switches on."""
    return value.strip().lower() not in OFF_VALUES


def make_case_pattern() -> str:
    """Return a pattern for ``case`` of a shell that matches the values that switch off."""
    return "|".join("".join(f"[{c.upper()}{c}]" if c.isalpha() else c for c in value) or "''" for value in OFF_VALUES)


class PositionRange(NamedTuple):
    """A range, 1-based and inclusive; None is an open end, a negative start counts from the end."""

    start: int | None
    end: int | None

    def resolve(self, total: int) -> tuple[int, int]:
        """Return the first and last position of the range among ``total`` positions.

        The end is at most ``total``; the start may be beyond it, which the caller must check.
        """
        start = 1 if self.start is None else self.start
        if start < 0:
            start = max(total + start + 1, 1)
        return start, total if self.end is None else min(self.end, total)


def parse_range(text: str, unit: str = "lines") -> PositionRange:
    """Return the range of ``unit`` that ``text`` describes; raise ValueError if it is not a range."""
    first, colon, last = text.partition(":")
    if not all(number.removeprefix("-").isdecimal() and number.isascii() for number in (first, last) if number):
        raise ValueError(f"{text!r} is not a range such as 120:180, 120:, :180, 120 or -20:")
    start = int(first) if first else None
    end = (int(last) if last else None) if colon else start
    _check_range(text, start, end, bool(colon), unit)
    return PositionRange(start, end)


def _is_negative(number: int | None) -> bool:
    return number is not None and number < 0


def _check_range(text: str, start: int | None, end: int | None, colon: bool, unit: str) -> None:
    if not text or text == ":":
        raise ValueError("a range names at least one end, as in 120:180")
    if start == 0 or end == 0:
        raise ValueError(f"{text!r}: {unit} are counted from 1")
    is_open = end is None and colon
    if _is_negative(end) or (_is_negative(start) and not is_open):
        raise ValueError(f"{text!r}: only a start may be negative, with an open end, as in -20:")
    if start is not None and end is not None and end < start:
        raise ValueError(f"{text!r} ends before it starts")
