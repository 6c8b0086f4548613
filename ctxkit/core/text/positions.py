"""Locate the parts of a JSON text, even if it is broken."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from json.decoder import JSONDecodeError, JSONDecoder, scanstring  # type: ignore[attr-defined]
from typing import NamedTuple

from ctxkit.core.text.json_value import JsonValue

BLANKS = re.compile(r"[ \t\r\n]*")
MAX_LEVELS = 32
"""Maximum levels that are read before a break."""
BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|([\[{])|[\]}]')
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
BIG_INTEGER_SCAN: Scan = JSONDecoder(strict=False, parse_int=_parse_integer).scan_once  # type: ignore[attr-defined]


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
            return BIG_INTEGER_SCAN(text, position)
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
    for match in BRACKETS.finditer(text):
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
