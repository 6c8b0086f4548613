"""JSON text of any size as a data tree: its large values are indexed, the others are read when they are needed."""

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from ctxkit.core.text.json_index import LargeValue
from ctxkit.core.text.json_value import JsonValue, LargeArray, LargeObject
from ctxkit.core.text.lines import IndexedLines
from ctxkit.core.text.positions import (
    InvalidJsonError,
    JsonMember,
    JsonTooDeepError,
    PathSteps,
    ValueTest,
    decode_value,
    read_members,
    skip_blanks,
)

MAX_SEARCHED = 128 << 20
"""Number of bytes that are read again in total to find values by their test."""
CACHED_RUNS = 16
NAMING_MEMBERS, NAMING_BYTES = 200, 4_096
"""Number of members of a large object that may name it, and the maximum size of such a member."""


class LargeJson:
    """Locate the members of JSON text; all positions are byte offsets."""

    def __init__(self, lines: IndexedLines, root: LargeValue) -> None:
        self.lines = lines
        self.root = root
        self._large = {value.start: value for value in _walk(root)}
        self._runs: dict[tuple[int, int], list[JsonMember]] = {}
        self._searched = 0

    def line(self, position: int) -> int:
        """Return the line number of a byte offset."""
        return self.lines.find_line(position)

    def byte(self, position: int) -> int:
        """Return the byte offset itself."""
        return position

    def documents(self) -> Sequence[JsonMember]:
        """Return the documents."""
        return MemberView(self, self.root, range(self.root.count))

    def below(self, member: JsonMember) -> Sequence[JsonMember]:
        """Return the members of an array or object."""
        large = self._large.get(member.start)
        if large is None:
            return self._read_small(member.start, member.end)
        return MemberView(self, large, range(large.count))

    def value(self, member: JsonMember) -> JsonValue:
        """Return the value of a member, ``...`` if it cannot be read; of a large one, the beginning with its length."""
        large = self._large.get(member.start)
        if large is not None:
            return self._make_beginning(large)
        text = self._read_text(member.start, member.end)
        try:
            return decode_value(text, 0)[0]
        except (InvalidJsonError, JsonTooDeepError):
            return ...

    def is_plain(self, member: JsonMember) -> bool:
        """Return whether a value is neither an array nor an object."""
        return self.lines.read(member.start, 1) not in (b"[", b"{")

    def find(self, place: JsonMember, steps: PathSteps, test: ValueTest | None = None) -> JsonMember | None:
        """Return the first value on a path below ``place`` that passes the test; the step None means any member.

        Return None if too much text has been searched.
        """
        if not steps:
            return place if test is None or self._passes(place, test) else None
        step = steps[0]
        below: Sequence[JsonMember] | Iterator[JsonMember] = self.below(place)
        if isinstance(step, int):
            below = self.below(place)[step : step + 1]
        elif step is not None:
            below = (member for member in below if member.key == step)
        matches = (self.find(member, steps[1:], test) for member in below if self._searched < MAX_SEARCHED)
        return next((member for member in matches if member), None)

    def _passes(self, place: JsonMember, test: ValueTest) -> bool:
        value = self.value(place)
        return value is not ... and test(value)

    def read_run(self, large: LargeValue, run: int) -> list[JsonMember]:
        """Return the members of a run."""
        key = (large.start, run) if large.kind else (-1, run)
        if key not in self._runs:
            if len(self._runs) >= CACHED_RUNS:
                self._runs.pop(next(iter(self._runs)))
            self._runs[key] = self._parse_run(large, run)
        return self._runs[key]

    def _parse_run(self, large: LargeValue, run: int) -> list[JsonMember]:
        number = large.numbers[run]
        member = large.large.get(number)
        if member is not None:
            return [JsonMember(member.key, member.at, member.start, member.end)]
        start, stop = large.offsets[run], large.run_end(run)
        if large.kind:
            return self._read_small(start, stop, large.kind)
        text = self._read_text(start, stop)
        return list(_place_members(text, _read_documents(text), start))

    def _read_small(self, start: int, end: int, opening: str = "") -> list[JsonMember]:
        """Return the members of the text from ``start`` to ``end``; ``opening`` is the bracket before it."""
        text = opening + self._read_text(start, end)
        if text[:1] not in ("[", "{"):
            return []
        if opening:
            text = text.rstrip().removesuffix(",") + ("]" if opening == "[" else "}")
        return list(_place_members(text, _read_valid(text), start - len(opening)))

    def _read_text(self, start: int, end: int) -> str:
        self._searched += end - start
        return self.lines.read(start, end - start).decode("utf-8", "surrogateescape")

    def _make_beginning(self, large: LargeValue) -> JsonValue:
        """Return a large value with the number of its members, of an object also the first short ones."""
        if large.string is not None:
            return large.string
        if large.kind == "[":
            elements = LargeArray()
            elements.length = large.count
            return elements
        members = MemberView(self, large, range(min(large.count, NAMING_MEMBERS)))
        short = (member for member in members if member.end - member.start <= NAMING_BYTES)
        value = LargeObject((member.key or "", self.value(member)) for member in short)
        value.length = large.count
        return value


class MemberView(Sequence[JsonMember]):
    """The members of a large value, which are read when they are needed."""

    def __init__(self, tree: LargeJson, large: LargeValue, numbers: range) -> None:
        self._tree = tree
        self._value = large
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> JsonMember: ...

    @overload
    def __getitem__(self, index: slice) -> "MemberView": ...

    def __getitem__(self, index: "int | slice") -> "JsonMember | MemberView":
        if isinstance(index, slice):
            return MemberView(self._tree, self._value, self._numbers[index])
        number = self._numbers[index]
        run = self._value.find_run(number)
        return self._tree.read_run(self._value, run)[number - self._value.numbers[run]]

    def __iter__(self) -> Iterator[JsonMember]:
        return map(self.__getitem__, range(len(self)))


def _walk(value: LargeValue) -> Iterator[LargeValue]:
    """Yield all large values below a value."""
    waiting = list(value.large.values())
    while waiting:
        inner = waiting.pop()
        yield inner
        waiting.extend(inner.large.values())


def _place_members(text: str, members: Iterable[JsonMember], shift: int) -> Iterator[JsonMember]:
    """Yield members of a text with their byte offsets; the text begins at the byte ``shift``."""
    is_ascii, position = text.isascii(), 0
    for key, *places in members:
        if not is_ascii:
            for index, place in enumerate(places):
                shift += len(text[position:place].encode("utf-8", "surrogateescape")) - (place - position)
                position = place
                places[index] = place + shift
            yield JsonMember(key, *places)
        else:
            yield JsonMember(key, places[0] + shift, places[1] + shift, places[2] + shift)


def _read_documents(text: str) -> Iterator[JsonMember]:
    """Yield the consecutive documents of a text."""
    position = skip_blanks(text, 0)
    while position < len(text):
        _, end = decode_value(text, position)
        yield JsonMember(None, position, position, end)
        position = skip_blanks(text, end)


def _read_valid(text: str) -> Iterator[JsonMember]:
    """Yield the members of an array or object, up to the first error."""
    try:
        for member, _ in read_members(text, 0):
            yield member
    except (InvalidJsonError, JsonTooDeepError):
        return
