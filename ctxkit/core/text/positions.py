"""Locate the values in a text of JSON, one per line or in any layout, and their parts, even if it is broken."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from json.decoder import JSONDecodeError, JSONDecoder, scanstring  # type: ignore[attr-defined]
from typing import NamedTuple

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.limits import LEVELS

BLANKS = re.compile(r"[ \t\r\n]*")
MAX_LEVELS = 32
"""Maximum levels that are read before a break."""
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|([\[{])|[\]}]')
BLOCK = 65_536
"""Characters between two offsets whose byte offset is cached."""
PathSteps = Sequence["str | int | None"]
"""Steps from the outside in: a key, the index of a member, or None for each member."""
ValueTest = Callable[[JsonValue], bool]


def _parse_integer(digits: str) -> int | float:
    """Return an integer of any length; beyond Python's limit, only its first digits and its magnitude are correct."""
    rest = len(digits) - 4_000
    return int(digits) if rest <= 0 else float(digits) if rest > 1 << 17 else int(digits[:-rest]) * 10**rest


Scan = Callable[[str, int], tuple[JsonValue, int]]
SCAN: Scan = JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]
_BIG_INTEGER_SCAN: Scan = JSONDecoder(strict=False, parse_int=_parse_integer).scan_once  # type: ignore[attr-defined]


class InvalidJsonError(ValueError):
    """Invalid JSON at ``position``; ``inside`` is the start of the invalid value, ``key`` its key."""

    def __init__(self, position: int, reason: str, inside: int = -1, key: str | None = None) -> None:
        super().__init__(reason)
        self.position = position
        self.reason = reason
        self.inside = inside
        self.key = key


class JsonTooDeepError(ValueError):
    """JSON that is nested too deep to read."""


class JsonMember(NamedTuple):
    """A member of an array or object: the start of its key and of its value, and its end."""

    key: str | None
    at: int
    start: int
    end: int


def skip_blanks(text: str, position: int) -> int:
    """Return the position of the first non-blank character from ``position``."""
    if text[position : position + 1] > " ":  # most often there is none
        return position
    match = BLANKS.match(text, position)
    return match.end() if match else position


def decode_value(text: str, position: int) -> tuple[JsonValue, int]:
    """Return the value that begins at ``position`` and its end; raise InvalidJsonError or JsonTooDeepError."""
    try:
        try:
            return SCAN(text, position)
        except JSONDecodeError:
            raise
        except ValueError:  # an integer with more digits than Python converts
            return _BIG_INTEGER_SCAN(text, position)
    except JSONDecodeError as error:
        raise InvalidJsonError(error.pos, _describe_error(text, error)) from None
    except StopIteration as error:
        raise InvalidJsonError(int(error.value), "a value was expected") from None
    except RecursionError:
        raise JsonTooDeepError from None


def _describe_error(text: str, error: JSONDecodeError) -> str:
    if error.msg.startswith("Unterminated string") or not text[error.pos :].strip():
        return "it ends too early"
    return error.msg[0].lower() + error.msg[1:]


def read_members(text: str, start: int) -> Iterator[tuple[JsonMember, JsonValue]]:
    """Yield the members of the array or object at ``start`` with their values.

    Raise InvalidJsonError or JsonTooDeepError.
    """
    close = "]" if text[start] == "[" else "}"
    position = skip_blanks(text, start + 1)
    if text.startswith(close, position):
        return
    while True:
        at, key = position, None
        if close == "}":
            key, position = _read_key(text, position)
        try:
            value, end = decode_value(text, position)
        except InvalidJsonError as error:
            raise InvalidJsonError(error.position, error.reason, position, key) from None
        yield JsonMember(key, at, position, end), value
        position = skip_blanks(text, end)
        if text.startswith(close, position):
            return
        position = _expect_mark(text, position, ",", "a comma was expected")


def _read_key(text: str, position: int) -> tuple[str, int]:
    """Return the key at ``position`` and the start of its value."""
    position = _expect_mark(text, position, '"', "a key was expected", blanks=False)
    try:
        key, position = scanstring(text, position, False)
    except JSONDecodeError:
        raise InvalidJsonError(position, "it ends too early") from None
    position = skip_blanks(text, position)
    return key, _expect_mark(text, position, ":", "a colon was expected")


def _expect_mark(text: str, position: int, mark: str, reason: str, *, blanks: bool = True) -> int:
    if not text.startswith(mark, position):
        raise InvalidJsonError(position, reason if position < len(text) else "it ends too early")
    return skip_blanks(text, position + 1) if blanks else position + 1


def decode_partial(text: str, start: int, levels: int = MAX_LEVELS) -> tuple[JsonValue, list["str | int"]]:
    """Return the readable part of the broken array or object at ``start``, and the path to the break."""
    elements: list[JsonValue] = []
    named: dict[str, JsonValue] = {}
    try:
        for member, value in read_members(text, start):
            elements.append(value)
            if member.key is not None:
                named[member.key] = value
    except InvalidJsonError as error:
        inside, key = error.inside, error.key
    container: JsonValue = elements if text[start] == "[" else named
    if inside < 0:
        return container, []
    step: str | int = len(elements) if key is None else key
    if not levels or not text.startswith(("[", "{"), inside):
        return container, [step]
    value, path = decode_partial(text, inside, levels - 1)
    if key is None:
        elements.append(value)
    else:
        named[key] = value
    return container, [step, *path]


def measure_depth(text: str) -> int:
    """Return the number of levels of arrays and objects in a JSON text."""
    level = deepest = 0
    for match in _BRACKETS.finditer(text):
        if match[1]:
            level += 1
            deepest = max(deepest, level)
        elif match[0] in "]}":
            level -= 1
    return deepest


class JsonPositions:
    """Finds lines, bytes and members in a JSON text; ``written`` is its original form if that differs in blanks."""

    def __init__(self, text: str, written: str = "") -> None:
        self.text = text
        self.written = written or text
        self._members: dict[int, list[JsonMember]] = {}

    @cached_property
    def _newlines(self) -> list[int]:
        offsets, position = [], self.text.find("\n")
        while position >= 0:
            offsets.append(position)
            position = self.text.find("\n", position + 1)
        return offsets

    def line(self, position: int) -> int:
        """Return the line number of a position."""
        return bisect_left(self._newlines, position) + 1

    @cached_property
    def _sizes(self) -> list[int]:
        """Return the number of bytes before each block of characters."""
        blocks = range(0, len(self.text), BLOCK)
        return list(accumulate((self._size(at, at + BLOCK) for at in blocks), initial=0))

    def _size(self, start: int, end: int) -> int:
        return len(self.written[start:end].encode("utf-8", "surrogateescape"))

    def byte(self, position: int) -> int:
        """Return the number of bytes before a position."""
        if self.written.isascii():
            return position
        block = position // BLOCK
        return self._sizes[block] + self._size(block * BLOCK, position)

    def members(self, start: int) -> list[JsonMember]:
        """Return the members of the array or object at ``start``; the last may be broken."""
        if start not in self._members:
            self._members[start] = list(self._read(start)) if self.text.startswith(("[", "{"), start) else []
        return self._members[start]

    def _read(self, start: int) -> Iterator[JsonMember]:
        try:
            for member, _ in read_members(self.text, start):
                yield member
        except InvalidJsonError as error:
            if error.inside >= 0:
                yield JsonMember(error.key, error.inside, error.inside, len(self.text))
        except JsonTooDeepError:
            return

    def find(self, place: JsonMember, steps: PathSteps, test: ValueTest | None = None) -> JsonMember | None:
        """Return the first value on a path below ``place`` that passes the test; the step None means any member."""
        if not steps:
            return place if test is None or self._passes(place, test) else None
        step = steps[0]
        below = self.members(place.start)
        if isinstance(step, int):
            below = below[step : step + 1]
        elif step is not None:
            below = [member for member in below if member.key == step]
        matches = (self.find(member, steps[1:], test) for member in below)
        return next((member for member in matches if member), None)

    def _passes(self, place: JsonMember, test: ValueTest) -> bool:
        value = self.value(place)
        return value is not ... and test(value)

    def value(self, member: JsonMember) -> JsonValue:
        """Return the value of a member, ``...`` if it cannot be read."""
        try:
            return decode_value(self.text, member.start)[0]
        except (InvalidJsonError, JsonTooDeepError):
            return ...

    def below(self, member: JsonMember) -> list[JsonMember]:
        """Return the members of a member."""
        return self.members(member.start)

    def is_plain(self, member: JsonMember) -> bool:
        """Return whether a value is neither an array nor an object."""
        return not self.text.startswith(("[", "{"), member.start)


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
