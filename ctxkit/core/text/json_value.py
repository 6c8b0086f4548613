"""Values of JSON: their type, their memory before they are parsed, comments, and halves of surrogate pairs."""

from typing import TYPE_CHECKING, Any, TypeAlias

from ctxkit.core.lazy_pattern import compile_lazily

if TYPE_CHECKING:
    import re

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


SUFFIXES = ("jsonc", "json5", "code-workspace", "code-snippets", "sublime-settings", "hujson", "cjson")
"""Suffixes of formats that allow comments."""
_COMMENTS = compile_lazily(r'(?s)"(?:[^"\\\n]|\\.)*+"?|(//[^\n]*|/\*(?:.*?\*/|.*))')
_COMMAS = compile_lazily(r'"(?:[^"\\\n]|\\.)*+"?|(,)(?=\s*+[\]}])')
_VISIBLE = compile_lazily(r"[^\n]")


def make_strict_json(text: str) -> str:
    """Return JSON with blanks in place of comments and trailing commas, so that offsets stay the same."""
    if "//" in text or "/*" in text:
        text = _COMMENTS.sub(_blank_match, text)
    return _COMMAS.sub(_blank_match, text)


def _blank_match(match: "re.Match[str]") -> str:
    return _VISIBLE.sub(" ", match[0]) if match[1] else match[0]


SURROGATE = compile_lazily("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    r"""Return a text with U+FFFD instead of each half of a surrogate pair.

    >>> replace_surrogates("a \ud83d b")
    'a \ufffd b'
    """
    return SURROGATE.sub("\ufffd", text)


_OBJECT_SIZE, _LIST_SIZE, _VALUE_SIZE = 240, 64, 70
"""Bytes that CPython needs for an object with one member, for a list, and for a short string with its reference."""
ALWAYS_FITS = 1 << 20
"""Bytes of text whose values always fit."""


def estimate_memory(text: bytes | str) -> int:
    """Return an approximate upper bound in bytes of the values of a JSON text; characters inside strings count too."""
    if isinstance(text, str):
        counts = text.count("{"), text.count("["), text.count(",")
    else:
        counts = text.count(b"{"), text.count(b"["), text.count(b",")
    objects, lists, values = counts
    return len(text) + _OBJECT_SIZE * objects + _LIST_SIZE * lists + _VALUE_SIZE * values


def fits_memory(text: bytes | str, most: int) -> bool:
    """Return whether the values of a JSON text need at most ``most`` bytes."""
    return len(text) <= ALWAYS_FITS or estimate_memory(text) <= most
