"""Numbers, durations, sizes and switches as people write them: parse and format them."""

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
