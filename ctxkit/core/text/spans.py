"""Parse ranges of lines or bytes: A:B, A:, :B, A, -N:."""

from ctxkit.core.named_tuple import NamedTuple


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
