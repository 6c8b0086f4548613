"""Index the large values of JSON text of any size, so that each part of it is found without reading what precedes."""

from array import array
from bisect import bisect_right
from typing import Protocol

from ctxkit.core.quick_dataclass import dataclass, field
from ctxkit.core.text.json_value import JsonValue, LargeString
from ctxkit.core.text.positions import InvalidJsonError

MAX_TRACKED_KEYS = 100_000
"""Maximum number of keys of an object that are compared with each other."""


MIN_ROWS = 25
"""Minimum number of members of an object that is a table."""


@dataclass(slots=True, eq=False)
class LargeValue:
    """Hold the place of an array, an object or a string that is too large to decode as a whole.

    ``kind`` is its first character, or empty for the sequence of the documents. Places are byte offsets. The run of
    members ``numbers[i]`` begins at ``offsets[i]`` and ends where the next one begins, or at ``stop``; it is one large
    member, or members that are not. ``string`` is the beginning of a string. ``is_table`` means that the members of an
    object look like the rows of a table; it and ``duplicates``, the keys that occur twice, are known at its end.
    """

    kind: str
    key: str | None
    at: int
    start: int
    end: int = 0
    stop: int = 0
    count: int = 0
    numbers: "array[int]" = field(default_factory=lambda: array("Q"))
    offsets: "array[int]" = field(default_factory=lambda: array("Q"))
    large: dict[int, "LargeValue"] = field(default_factory=dict)
    string: LargeString | None = None
    members: "MemberStatistics | None" = None
    is_table: bool = False
    duplicates: tuple[str, ...] = ()

    def add_large(self, value: "LargeValue") -> None:
        """Add a large member, which is a run of its own."""
        if not self.numbers or self.numbers[-1] != self.count:
            self.add_run(value.at)
        self.large[self.count] = value
        self.count += 1

    def add_run(self, offset: int) -> None:
        """Begin a run with the next member at ``offset``."""
        self.numbers.append(self.count)
        self.offsets.append(offset)

    def find_run(self, number: int) -> int:
        """Return the index of the run of a member."""
        return bisect_right(self.numbers, number) - 1

    def run_end(self, run: int) -> int:
        """Return the byte offset where a run ends."""
        return self.offsets[run + 1] if run + 1 < len(self.offsets) else self.stop

    def run_count(self, run: int) -> int:
        """Return the number of members of a run."""
        after = self.numbers[run + 1] if run + 1 < len(self.numbers) else self.count
        return after - self.numbers[run]


class JsonListener(Protocol):
    """Receive the values in order, the large ones in parts."""

    def open_value(self, parent: LargeValue, number: int, value: LargeValue) -> None:
        """Begin the member ``number`` of ``parent``, which is large."""

    def add_elements(self, parent: LargeValue, number: int, values: list[JsonValue]) -> None:
        """Add elements of an array, or documents, from index ``number`` on."""

    def add_members(self, parent: LargeValue, number: int, values: dict[str, JsonValue]) -> None:
        """Add members of an object from index ``number`` on."""

    def close_value(self, value: LargeValue) -> None:
        """End a large value."""


class MemberStatistics:
    """Measure the members of an object, to tell whether its keys are data."""

    def __init__(self) -> None:
        self.types: set[type] = set()
        self.key_total = 0
        self.inner_keys: set[str] = set()
        self.keys: dict[str, None] = {}
        self.duplicates: dict[str, None] = {}

    def add(self, values: dict[str, JsonValue]) -> None:
        """Add members."""
        self.types.update(map(type, values.values()))
        if not self.keys.keys().isdisjoint(values):
            self.duplicates.update(dict.fromkeys(key for key in values if key in self.keys))
        if len(self.keys) < MAX_TRACKED_KEYS:
            self.keys.update(dict.fromkeys(values))
        for value in values.values():
            if type(value) is dict:
                self.key_total += len(value)
                if len(self.inner_keys) < MAX_TRACKED_KEYS:
                    self.inner_keys.update(value)

    def add_inner_keys(self, keys: dict[str, None], count: int) -> None:
        """Add the keys of a large member that is an object of ``count`` members."""
        self.key_total += count
        if len(self.inner_keys) < MAX_TRACKED_KEYS:
            self.inner_keys.update(keys)

    def have_similar_rows(self, count: int) -> bool:
        """Return whether the members of an object of ``count`` members look like the rows of a table."""
        if count < MIN_ROWS or len(self.types) != 1:
            return False
        return self.types != {dict} or self.key_total * 3 >= len(self.inner_keys) * count


@dataclass(slots=True)
class JsonIndex:
    """Hold the index of one or several consecutive documents, and the error that ends them, if there is one."""

    root: LargeValue
    broken: InvalidJsonError | None = None
    path: tuple["str | int", ...] = ()
