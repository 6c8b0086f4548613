"""Quick dataclasses behave as the standard ones: made, compared, replaced, copied and matched."""

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any

import pytest

from ctxkit.core.quick_dataclass import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Point:
    """A point."""

    x: int
    y: int = 2
    names: tuple[str, ...] = field(default=())

    @property
    def total(self) -> int:
        return self.x + self.y


@dataclasses.dataclass(frozen=True, slots=True)
class Reference:
    x: int
    y: int = 2
    names: tuple[str, ...] = dataclasses.field(default=())


@dataclass(slots=True)
class Group:
    """Values with a total."""

    name: str
    values: list[int] = field(default_factory=list)
    first: int = field(init=False)

    def __post_init__(self) -> None:
        self.first = self.values[0] if self.values else 0


@dataclass(slots=True)
class NamedGroup(Group):
    """A group with one more field."""

    title: str = "none"


@dataclass
class Open:
    """A class with a dictionary."""

    x: int = 1


@pytest.mark.parametrize("kind", [Point, Reference])
def test_a_value_is_made_by_position_and_by_name(kind: Any) -> None:
    assert (kind(1).y, kind(1, 5).y, kind(x=1, y=3).y, kind(1, names=("a",)).names) == (2, 5, 3, ("a",))
    assert repr(kind(1)) == f"{kind.__qualname__}(x=1, y=2, names=())"
    assert kind(1) == kind(1) != kind(2)
    assert hash(kind(1)) == hash(kind(1))
    assert kind.__slots__ == kind.__match_args__ == ("x", "y", "names")
    for wrong in ((), (1, 2, (), 4)):
        with pytest.raises(TypeError):
            kind(*wrong)
    with pytest.raises(TypeError):
        kind(1, z=2)


@pytest.mark.parametrize("kind", [Point, Reference])
def test_a_frozen_value_does_not_change(kind: Any) -> None:
    value = kind(1)
    with pytest.raises(AttributeError):
        value.x = 2
    with pytest.raises(AttributeError):
        del value.x
    with pytest.raises((AttributeError, TypeError)):
        value.other = 2


def test_a_copy_has_the_same_fields_before_a_value_was_made_and_after() -> None:
    value = Point(1, names=("a",))
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other == value
    code = (
        "import pickle; from tests.core.test_quick_dataclass import Point;"
        f" value = pickle.loads({pickle.dumps(value)!r}); assert value == Point(1, names=('a',)); print(value.total)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"3\n"


def test_replace_keeps_the_other_fields() -> None:
    assert replace(Point(1, 3), x=5) == Point(5, 3)
    assert replace(Group("a", [4]), name="b") == Group("b", [4])
    with pytest.raises(TypeError):
        replace(Point(1), z=2)  # type: ignore[call-arg]


def test_values_change_and_have_lists_of_their_own() -> None:
    first, second = Group("a"), Group("a")
    first.values.append(1)
    assert (second.values, first.first, first == second) == ([], 0, False)
    assert Group("a", [7]).first == 7
    with pytest.raises(TypeError):
        hash(first)


def test_a_subclass_adds_fields() -> None:
    group = NamedGroup("a", [1], "t")
    assert (group.name, group.first, group.title, NamedGroup("b").title) == ("a", 1, "t", "none")
    assert not hasattr(group, "__dict__")
    assert group != Group("a", [1])


def test_a_class_without_slots_has_its_defaults() -> None:
    assert (Open.x, Open().x, Open(2)) == (1, 1, Open(2))


def test_a_class_matches_by_position() -> None:
    match Point(1, 9):
        case Point(1, y):
            assert y == 9
        case _:
            pytest.fail("no match")
