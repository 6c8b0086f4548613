"""What has members at places: a JSON text, or a tree of branches."""

from collections.abc import Sequence
from typing import Any, Protocol

from ctxkit.core.text.positions import PathSteps, ValueTest


class DataMember(Protocol):
    """Be one member of an array or object, at places that a ``DataTree`` turns into lines."""

    @property
    def key(self) -> str | None:
        """Return the key, None for an element of an array."""

    @property
    def at(self) -> int:
        """Return where the key, or the value that has none, begins."""

    @property
    def start(self) -> int:
        """Return where the value begins."""

    @property
    def end(self) -> int:
        """Return where the value ends, exclusive."""


class DataTree(Protocol):
    """Know where members are, what they hold and what stands below them: a JSON text, or a tree of branches."""

    def line(self, position: int) -> int:
        """Return the number of the line that a position is on."""

    def byte(self, position: int) -> int:
        """Return how many bytes come before a position."""

    def below(self, member: Any) -> Sequence[Any]:
        """Return the members of an array or object."""

    def value(self, member: Any) -> Any:
        """Return the value of a member, ... when it cannot be read."""

    def is_plain(self, member: Any) -> bool:
        """Tell whether a value is neither an array nor an object."""

    def find(self, place: Any, steps: PathSteps, test: ValueTest | None = None) -> Any:
        """Return the first value below ``place`` on the path that passes the test, or None."""
