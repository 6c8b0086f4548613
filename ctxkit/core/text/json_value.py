"""The type of a value that was parsed from JSON, YAML or TOML."""

from typing import Any, TypeAlias

JsonValue: TypeAlias = Any
"""A parsed value of unknown shape: each reader tests the shape that it uses.

It is Any, because a recursive type needs a cast at every access, although the test before the access is what counts.
"""


class LargeString(str):
    """The beginning of a string that is too large to hold, with the length of the whole."""

    __slots__ = ("length",)
    length: int

    @classmethod
    def make(cls, prefix: str, length: int) -> "LargeString":
        """Return a large string from its beginning and the number of its characters."""
        text = cls(prefix)
        text.length = length
        return text

    def __len__(self) -> int:
        return self.length


class LargeObject(dict[str, Any]):
    """The first members of an object that is too large to hold, with the number of all."""

    length = 0

    def __len__(self) -> int:
        return self.length


class LargeArray(list[Any]):
    """The first elements of an array that is too large to hold, with the number of all."""

    length = 0

    def __len__(self) -> int:
        return self.length
