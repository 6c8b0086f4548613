"""Read fields of JSON objects by their types, and compare the shape of objects with a pattern."""

from collections.abc import Iterable
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ctxkit.core.text.json_value import JsonValue

if TYPE_CHECKING:
    from json import JSONEncoder


def get_text(value: JsonValue, key: str) -> str:
    """Return a text member, empty if it is absent or not a text."""
    member = value.get(key) if isinstance(value, dict) else None
    return member if isinstance(member, str) else ""


def get_first_text(value: JsonValue, keys: Iterable[str]) -> str:
    """Return the first text member that is not empty, empty if there is none."""
    return next((text for key in keys if (text := get_text(value, key))), "")


def get_member(value: JsonValue, place: Iterable[str]) -> JsonValue:
    """Return the member at a path of names, None if it does not exist."""
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def get_objects(value: JsonValue, key: str = "") -> list[dict[str, JsonValue]]:
    """Return the objects in a list, or in the list member named ``key``."""
    if key:
        value = value.get(key) if isinstance(value, dict) else None
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def get_object(value: JsonValue, key: str) -> dict[str, JsonValue]:
    """Return an object member, empty if it is absent or not an object."""
    member = value.get(key) if isinstance(value, dict) else None
    return member if isinstance(member, dict) else {}


def get_number(value: JsonValue, key: str) -> int:
    """Return a positive integer member, 0 if it is absent or anything else."""
    member = value.get(key) if isinstance(value, dict) else None
    return max(member, 0) if isinstance(member, int) and not isinstance(member, bool) else 0


def dump_value(value: JsonValue) -> str:
    """Return a value as compact JSON; text is returned as it is, None as an empty text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return _load_encoder().encode(value)


@cache
def _load_encoder() -> "JSONEncoder":
    from json import JSONEncoder

    return JSONEncoder(ensure_ascii=False, separators=(",", ":"))


SAMPLE_ELEMENTS = 16
"""Number of elements of a list that are compared with the shape of an element."""

class Presence(Enum):
    """Whether an object has a member: with any value, or not at all."""

    ANY = "any"
    ABSENT = "absent"


ANY, ABSENT = Presence.ANY, Presence.ABSENT


class Prefix(NamedTuple):
    """The beginning of a text."""

    text: str


Shape: TypeAlias = "Presence | Prefix | type | str | int | tuple[Shape, ...] | list[Shape] | dict[str, Shape]"
"""A pattern of a JSON value.

- An object has all members, each in its shape; other members do not count. A member may be ABSENT, or have ANY value.
- A list with one shape: one of the first SAMPLE_ELEMENTS elements has it.
- A tuple: the value has one of the shapes.
- A type: the value is of it. A text or a number: the value equals it. A Prefix: the value is a text that begins so.
"""


def has_shape(value: JsonValue, shape: Shape) -> bool:
    """Return whether a value has a shape."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(_has_member(value, key, member) for key, member in shape.items())
    if isinstance(shape, list):
        return isinstance(value, list) and any(has_shape(element, shape[0]) for element in value[:SAMPLE_ELEMENTS])
    if isinstance(shape, tuple) and not isinstance(shape, Prefix):
        return any(has_shape(value, option) for option in shape)
    return _has_plain_shape(value, shape)


def _has_plain_shape(value: JsonValue, shape: Shape) -> bool:
    """Return whether a value has the prefix or the type that a shape names, or is equal to it."""
    if isinstance(shape, Prefix):
        return isinstance(value, str) and value.startswith(shape.text)
    if isinstance(shape, type):
        return isinstance(value, shape) and not (shape is int and isinstance(value, bool))
    return shape is ANY or (type(value) is type(shape) and value == shape)


def _has_member(value: dict[str, JsonValue], key: str, shape: Shape) -> bool:
    if shape is ABSENT:
        return key not in value
    return key in value and has_shape(value[key], shape)
