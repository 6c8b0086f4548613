"""Shapes of JSON values: patterns that are written as the values look."""

from enum import Enum
from typing import NamedTuple, TypeAlias

from ctxkit.core.text.json_value import JsonValue

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
