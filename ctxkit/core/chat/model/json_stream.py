"""Sequences of JSON values in a text: one per line, or one after another in any layout."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.limits import LEVELS
from ctxkit.core.text.positions import BLANKS, InvalidJsonError, JsonTooDeepError, decode_value, skip_blanks

SAMPLE_VALUES = 64
"""Number of values that determine the format of a session: some begin with many values that are not messages."""
MAX_SEARCHED_VALUES = 20_000
"""Values in which an entry of a known format is searched: each takes 7 microseconds until one is found."""
FORMATS_HINT = "a conversation is JSON, JSON lines or ChatML"
_SAMPLE_CHARACTERS = 1 << 20
"""Number of characters that determine whether content is JSON lines."""


class ValueRow(NamedTuple):
    """A JSON value: its start and end, its 1-based line, and whether it is valid."""

    start: int
    end: int
    line: int
    value: JsonValue = None
    is_valid: bool = True


def read_values(text: str, start: int, name: str, *, skip_bad: bool, skip_cut: bool = False) -> Iterable[ValueRow]:
    """Return a sequence of values whose first is complete, one per line if possible.

    Raise MalformedInputError as ``read_lines`` does.
    """
    try:
        return list(read_lines(text, start, name, skip_bad=False, skip_cut=skip_cut))
    except MalformedInputError as line_error:
        try:
            return list(read_stream(text, start, name))
        except MalformedInputError as stream_error:
            if skip_bad:
                return read_lines(text, start, name, skip_bad=True)
            raise (line_error if _is_alone_on_line(text, start) else stream_error) from None


def _is_alone_on_line(text: str, start: int) -> bool:
    """Return whether the value at ``start`` is the only one on its line."""
    end, newline = decode_value(text, start)[1], text.find("\n", start)
    return end <= newline <= skip_blanks(text, end)


def read_lines(text: str, start: int, name: str, *, skip_bad: bool, skip_cut: bool = False) -> Iterator[ValueRow]:
    """Yield the value of each line that is not blank; with ``skip_bad``, also yield invalid lines.

    With ``skip_cut``, yield the beginning of an object without a newline behind other lines, as a program that was
    killed leaves it. Otherwise raise MalformedInputError, with ``name`` and the line, for an invalid line.
    """
    number, at = 1, 0
    while at < len(text):
        newline = text.find("\n", at)
        end = len(text) if newline < 0 else newline
        begin = _skip_blanks(text, max(at, min(start, end)), end)
        if begin < end:
            is_cut = skip_cut and number > 1 and newline < 0 and text.startswith("{", begin)
            stop = begin + len(text[begin:end].rstrip(" \t\r"))
            row = ValueRow(begin, stop, number)
            yield _read_row(text[begin:stop], row, name, skip_bad=skip_bad or is_cut)
        number, at = number + 1, end + 1


def _skip_blanks(text: str, start: int, end: int) -> int:
    match = BLANKS.match(text, start, end)
    return match.end() if match else start


def _read_row(line: str, row: ValueRow, name: str, *, skip_bad: bool) -> ValueRow:
    """Return a row with the value of its line."""
    try:
        value, stop = decode_value(line, 0)
        if stop != len(line):
            raise InvalidJsonError(stop, "something follows the value")
    except (InvalidJsonError, JsonTooDeepError) as error:
        if not skip_bad:
            hint = "--skip-bad keeps such lines as they are"
            raise MalformedInputError(f"{name}: line {row.line} is not JSON: {_get_reason(error)}", hint=hint) from None
        return ValueRow(row.start, row.end, row.line, is_valid=False)
    return ValueRow(row.start, row.end, row.line, value)


def read_stream(text: str, start: int, name: str) -> Iterator[ValueRow]:
    """Yield values that follow one another in any layout; raise MalformedInputError for an invalid value."""
    at, number = skip_blanks(text, start), text.count("\n", 0, start) + 1
    counted = start
    while at < len(text):
        number += text.count("\n", counted, at)
        counted = at
        try:
            value, end = decode_value(text, at)
        except (InvalidJsonError, JsonTooDeepError) as error:
            raise make_json_error(name, text, error) from None
        yield ValueRow(at, end, number, value)
        at = skip_blanks(text, end)


def check_depth(text: str, row: ValueRow) -> JsonValue:
    """Return the value of a row; raise ValueError if it is nested too deeply."""
    if is_deeper(text, row.start, row.end, row.value, LEVELS):
        raise ValueError("it is nested too deeply")
    return row.value


def is_deeper(text: str, start: int, end: int, value: JsonValue, limit: int) -> bool:
    """Return whether lists and objects are nested more than ``limit`` levels deep in a value."""
    if end - start <= limit:  # a short message has no space for as many brackets
        return False
    if text.count("[", start, end) + text.count("{", start, end) <= limit:
        return False
    level, inside = 0, [value]
    while inside and level <= limit:
        level += 1
        lists = (
            container.values() if isinstance(container, dict) else container
            for container in inside
            if isinstance(container, dict | list)
        )
        inside = [child for container in lists for child in container if isinstance(child, dict | list)]
    return level > limit


def make_json_error(name: str, text: str, error: InvalidJsonError | JsonTooDeepError) -> MalformedInputError:
    """Return the error for a text that is not valid JSON."""
    line = text.count("\n", 0, error.position) + 1 if isinstance(error, InvalidJsonError) else 0
    where = f"line {line}" if line else "it"
    return MalformedInputError(f"{name}: {where} is not JSON: {_get_reason(error)}", hint=FORMATS_HINT)


def _get_reason(error: InvalidJsonError | JsonTooDeepError) -> str:
    return error.reason if isinstance(error, InvalidJsonError) else "it is nested too deeply"


def has_mostly_lines(text: str, start: int) -> bool:
    """Return whether most of the first lines are JSON objects."""
    first = [
        line for line in text[start : start + _SAMPLE_CHARACTERS].split("\n")[: 2 * SAMPLE_VALUES] if line.strip()
    ][:SAMPLE_VALUES]
    return 2 * sum(map(_is_object_line, first)) > len(first)


def _is_object_line(line: str) -> bool:
    try:
        value, end = decode_value(line, skip_blanks(line, 0))
    except (InvalidJsonError, JsonTooDeepError):
        return False
    return isinstance(value, dict) and skip_blanks(line, end) == len(line)
