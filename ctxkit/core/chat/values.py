"""The JSON values that follow one another in a text: one a line, or one after another however they are laid out."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ctxkit.core.limits import LEVELS
from ctxkit.core.positions import BLANKS, Broken, TooDeep, blank, decode
from ctxkit.core.trouble import Malformed

SNIFFED = 64
"""Values among which a session shows its format: some begin with many that are no messages."""
FORMS = "a conversation is JSON, JSON lines or ChatML"
_SAMPLE = 1 << 20
"""Characters in which it shows whether content is lines."""


class Row(NamedTuple):
    """Hold a value: where it begins and ends, the 1-based line on which it begins, and whether it could be read."""

    start: int
    end: int
    line: int
    value: Any = None
    whole: bool = True


def several(text: str, start: int, name: str, *, skip_bad: bool) -> Iterable[Row]:
    """Return values that follow one another, of which the first is whole: one a line where that can be.

    Raises Malformed as ``lines`` does.
    """
    try:
        return list(lines(text, start, name, skip_bad=False))
    except Malformed as trouble:
        try:
            return list(stream(text, start, name))
        except Malformed as other:
            if skip_bad:
                return lines(text, start, name, skip_bad=True)
            raise (trouble if _is_alone(text, start) else other) from None


def _is_alone(text: str, start: int) -> bool:
    """Tell whether the value at ``start`` has its line for itself."""
    end, newline = decode(text, start)[1], text.find("\n", start)
    return end <= newline <= blank(text, end)


def lines(text: str, start: int, name: str, *, skip_bad: bool) -> Iterator[Row]:
    """Yield the value of each line that is not blank; with ``skip_bad`` also what is none.

    Raises Malformed, naming ``name`` and the line, for what is none.
    """
    number, at = 1, 0
    while at < len(text):
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline
        begin = _unblank(text, max(at, min(start, end)), end)
        if begin < end:
            yield _row(text, begin, begin + len(text[begin:end].rstrip(" \t\r")), number, name, skip_bad)
        number, at = number + 1, end + 1


def _unblank(text: str, start: int, end: int) -> int:
    match = BLANKS.match(text, start, end)
    return match.end() if match else start


def _row(text: str, start: int, end: int, number: int, name: str, skip_bad: bool) -> Row:
    written = text[start:end]
    try:
        value, stop = decode(written, 0)
        if stop != len(written):
            raise Broken(stop, "something follows the value")
    except (Broken, TooDeep) as error:
        if not skip_bad:
            hint = "--skip-bad keeps such lines as they are"
            raise Malformed(f"{name}: line {number} is not JSON: {_reason(error)}", hint=hint) from None
        return Row(start, end, number, whole=False)
    return Row(start, end, number, value)


def stream(text: str, start: int, name: str) -> Iterator[Row]:
    """Yield values that follow one another, each on several lines or several on one; raises Malformed."""
    at, number = blank(text, start), text.count("\n", 0, start) + 1
    counted = start
    while at < len(text):
        number += text.count("\n", counted, at)
        counted = at
        try:
            value, end = decode(text, at)
        except (Broken, TooDeep) as error:
            raise not_json(name, text, error) from None
        yield Row(at, end, number, value)
        at = blank(text, end)


def checked(text: str, row: Row) -> Any:
    """Return the value of a row; raises ValueError where it has more levels than can be handled."""
    if is_deeper(text, row.start, row.end, row.value, LEVELS):
        raise ValueError("it is nested too deep to be read")
    return row.value


def is_deeper(text: str, start: int, end: int, value: Any, most: int) -> bool:
    """Tell whether more than ``most`` lists and objects stand in each other in a value."""
    if text.count("[", start, end) + text.count("{", start, end) <= most:
        return False
    level, inside = 0, [value]
    while inside and level <= most:
        level += 1
        lists = (held.values() if isinstance(held, dict) else held for held in inside if isinstance(held, dict | list))
        inside = [one for held in lists for one in held if isinstance(one, dict | list)]
    return level > most


def not_json(name: str, text: str, error: Broken | TooDeep) -> Malformed:
    """Return the trouble of a text that breaks somewhere."""
    line = text.count("\n", 0, error.position) + 1 if isinstance(error, Broken) else 0
    where = f"line {line}" if line else "it"
    return Malformed(f"{name}: {where} is not JSON: {_reason(error)}", hint=FORMS)


def _reason(error: Broken | TooDeep) -> str:
    return error.reason if isinstance(error, Broken) else "it is nested too deep to be read"


def mostly_lines(text: str, start: int) -> bool:
    """Tell whether most of the first lines are objects of their own."""
    first = [line for line in text[start : start + _SAMPLE].split("\n")[: 2 * SNIFFED] if line.strip()][:SNIFFED]
    return 2 * sum(map(_is_object, first)) > len(first)


def _is_object(line: str) -> bool:
    try:
        value, end = decode(line, blank(line, 0))
    except (Broken, TooDeep):
        return False
    return isinstance(value, dict) and blank(line, end) == len(line)
