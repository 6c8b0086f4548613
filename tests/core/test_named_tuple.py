"""Named tuples behave as those of ``typing``: made, read, replaced, compared, copied and matched."""

import copy
import pickle
import subprocess
import sys
import typing
from typing import Any

import pytest

from ctxkit.core.named_tuple import NamedTuple


class Point(NamedTuple):
    """A point."""

    x: int
    y: int = 2
    name: str = "p"

    @property
    def total(self) -> int:
        return self.x + self.y

    def moved(self) -> "Point":
        return self._replace(x=self.x + 1)


class Reference(typing.NamedTuple):
    x: int
    y: int = 2
    name: str = "p"


class Child(Point):
    """A subclass without fields of its own."""

    @property
    def total(self) -> int:
        return super().total * 2


CALLS = [
    ((1,), {}),
    ((1, 3), {}),
    ((1, 3, "q"), {}),
    ((), {"x": 1}),
    ((1,), {"name": "q"}),
    ((), {"name": "q", "x": 5}),
]


@pytest.mark.parametrize(("values", "named"), CALLS)
def test_values_are_those_of_typing(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    point, reference = Point(*values, **named), Reference(*values, **named)
    assert tuple(point) == tuple(reference)
    assert repr(point) == repr(reference).replace("Reference", "Point")
    assert point._asdict() == reference._asdict()
    assert (point.x, point.y, point.name) == tuple(point)
    assert hash(point) == hash(reference)


WRONG = [((), {}), ((1, 2, "q", 4), {}), ((1,), {"x": 1}), ((1,), {"z": 1}), ((), {"y": 1})]


@pytest.mark.parametrize(("values", "named"), WRONG)
def test_a_wrong_call_is_an_error_as_in_typing(values: tuple[Any, ...], named: dict[str, Any]) -> None:
    for kind in (Point, Reference):
        with pytest.raises(TypeError):
            kind(*values, **named)


def test_facts_of_a_class() -> None:
    for name in ("_fields", "_field_defaults", "__match_args__", "__slots__"):
        assert getattr(Point, name) == getattr(Reference, name)
    assert Point.__doc__ == "A point."
    assert (Point.__name__, Point.__module__, Point.__bases__) == ("Point", __name__, (tuple,))
    assert not hasattr(Point(1), "__dict__")


def test_methods_and_subclasses() -> None:
    assert Point(1).total == 3
    assert Point(1).moved() == (2, 2, "p")
    assert Child(1).total == 6
    assert type(Child(1)._replace(y=5)) is Child
    assert type(Child._make((1, 2, "p"))) is Child


def test_values_cannot_change() -> None:
    with pytest.raises(AttributeError):
        Point(1).x = 2


def test_replace_and_make_refuse_what_is_not_a_field() -> None:
    with pytest.raises(ValueError, match="z"):
        Point(1)._replace(z=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Expected 3"):
        Point._make((1, 2))


def test_values_are_copied_pickled_and_matched() -> None:
    point = Point(7, name="q")
    assert copy.copy(point) == copy.deepcopy(point) == point
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        loaded = pickle.loads(pickle.dumps(point, protocol))
        assert (loaded, type(loaded)) == (point, Point)
    match point:
        case Point(x, y, name=name):
            assert (x, y, name) == (7, 2, "q")


def test_a_field_after_a_default_needs_a_default() -> None:
    with pytest.raises(TypeError, match="default"):
        exec("class Wrong(NamedTuple):\n    x: int = 1\n    y: int\n", {"NamedTuple": NamedTuple, "__name__": "wrong"})


@pytest.mark.slow
def test_a_common_call_makes_no_named_tuple_of_typing() -> None:
    """Each costs as many instructions as the import of two modules."""
    code = (
        "import typing, sys; made, make = [], typing.NamedTupleMeta.__new__\n"
        "typing.NamedTupleMeta.__new__ = lambda *words: made.append(words[3]['__module__']) or make(*words)\n"
        "import os; os._exit = lambda status: print(made, status, file=sys.stderr)\n"
        "from ctxkit.main import main; main(sys.argv[1:])"
    )
    for words in (
        ["gate", "--window", "9000"],
        ["gate", "--session", "s", "--tokenizer", "bytes/3", "--window", "9000"],
    ):
        ended = subprocess.run([sys.executable, "-c", code, *words], input=b"a b c\n" * 300, capture_output=True)
        assert ended.stderr.endswith(b" 0\n"), ended.stderr
        assert b"ctxkit" not in ended.stderr


@pytest.mark.parametrize("name", ["__annotate_func__", "__annotate__"])
def test_annotations_come_from_the_function_that_a_class_has_since_python_3_14(name: str) -> None:
    asked: list[int] = []

    def annotate(form: int) -> dict[str, type]:
        asked.append(form)
        return {"x": int, "y": int}

    kind: Any = type(NamedTuple)
    late = kind("Late", (), {name: annotate, "y": 2})
    assert (late._fields, tuple(late(1)), asked) == (("x", "y"), (1, 2), [1])
