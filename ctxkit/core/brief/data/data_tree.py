"""Protocols of trees with members at places: a JSON text, or a tree of nodes."""

from collections.abc import Sequence
from typing import Protocol

from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import PathSteps, ValueTest


class DataMember(Protocol):
    """Describe one member of an array or object, at places that a ``DataTree`` converts to lines."""

    @property
    def key(self) -> str | None:
        """Return the key, or None for an element of an array."""

    @property
    def at(self) -> int:
        """Return the start of the key, or of the value if there is no key."""

    @property
    def start(self) -> int:
        """Return the start of the value."""

    @property
    def end(self) -> int:
        """Return the end of the value, exclusive."""


class DataTree(Protocol):
    """Locate members and return their values and children, in a JSON text or a tree of nodes."""

    def line(self, position: int) -> int:
        """Return the line number of a position."""

    def byte(self, position: int) -> int:
        """Return the number of bytes before a position."""

    def below(self, member: JsonValue) -> Sequence[JsonValue]:
        """Return the members of an array or object."""

    def value(self, member: JsonValue) -> JsonValue:
        """Return the value of a member, or ``...`` if it cannot be read."""

    def is_plain(self, member: JsonValue) -> bool:
        """Return whether a value is neither an array nor an object."""

    def find(self, place: JsonValue, steps: PathSteps, test: ValueTest | None = None) -> JsonValue:
        """Return the first value below ``place`` on the path that passes the test, or None."""
