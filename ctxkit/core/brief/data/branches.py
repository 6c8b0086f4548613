"""Structured data with the lines it stands on: what YAML, TOML, INI and XML are read into."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ctxkit.core.positions import Path, Test


@dataclass(slots=True, eq=False)
class Branch:
    """Hold one value, its key (None for an element of a list) and its lines: ``at`` to before ``end``.

    Where all stands on one long line these are bytes, counted from 0.

    ``start`` is the line on which the value itself begins. What a list or a mapping holds is in ``below``.
    """

    key: str | None
    at: int
    start: int
    end: int
    value: Any = None
    below: "list[Branch]" = field(default_factory=list)

    def close(self, end: int) -> None:
        """End before line ``end``, unless what it holds reaches farther."""
        self.end = max(end, self.at + 1)


def mapping(branch: Branch) -> None:
    """Make a branch a mapping of what is below it; of equal keys the last one counts."""
    branch.value = {one.key or "": one.value for one in branch.below}


def sequence(branch: Branch) -> None:
    """Make a branch the list of what is below it."""
    branch.value = [one.value for one in branch.below]


def listed(key: str | None, members: Iterable[Branch]) -> Branch:
    """Return a list of branches that stand one after another, but perhaps with others between them."""
    below = list(members)
    for one in below:
        one.key = None
    made = Branch(key, below[0].at, below[0].start, below[-1].end, below=below)
    sequence(made)
    return made


def walk(branch: Branch) -> Iterator[Branch]:
    """Yield a branch and everything below it, in order."""
    waiting = [branch]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(one.below))


def grow(branch: Branch, most: int) -> int:
    """Give what a value in brackets holds branches of its own, all on the lines of the whole; return how many.

    It ends when there are more than ``most``.
    """
    count, waiting = 0, [branch]
    while waiting and count <= most:
        one = waiting.pop()
        if isinstance(one.value, list):
            one.below = [Branch(None, one.at, one.at, branch.end, item) for item in one.value]
        elif isinstance(one.value, dict):
            one.below = [Branch(key, one.at, one.at, branch.end, item) for key, item in one.value.items()]
        waiting.extend(one.below)
        count += len(one.below)
    return count


class Branches:
    """Find lines and members in a tree of branches, as ``Places`` does in a JSON text."""

    def __init__(self, title: Callable[[Any], str] | None = None) -> None:
        self.title = title

    def line(self, position: int) -> int:
        """Return a line as it is: branches are placed by lines."""
        return position

    def byte(self, position: int) -> int:
        """Return a byte as it is: of one long line, branches are placed by bytes."""
        return position

    def below(self, branch: Branch) -> list[Branch]:
        """Return what a list or mapping holds."""
        return branch.below

    def value(self, branch: Branch) -> Any:
        """Return the value of a branch."""
        return branch.value

    def is_plain(self, branch: Branch) -> bool:
        """Tell whether a value is neither a list nor a mapping."""
        return not isinstance(branch.value, dict | list)

    def find(self, place: Branch, steps: Path, test: Test | None = None) -> Branch | None:
        """Return the first value below ``place`` on the path that passes the test; None means any member."""
        if not steps:
            return place if test is None or test(place.value) else None
        step = steps[0]
        below = place.below
        if isinstance(step, int):
            below = below[step : step + 1]
        elif step is not None:
            below = [one for one in below if one.key == step][-1:]
        found = (self.find(one, steps[1:], test) for one in below)
        return next((one for one in found if one), None)
