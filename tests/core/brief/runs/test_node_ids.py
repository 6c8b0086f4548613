"""Node ids may hold what separates them from their message."""

import pytest

from ctxkit.core.brief.runs.node_ids import find_node_id, find_path, list_node_ids, read_failures, split_title
from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.sessions import SessionPart
from ctxkit.core.text.lines import lines_from_bytes


def test_all_possible_node_ids_are_tried_from_the_longest() -> None:
    assert list(list_node_ids("a.py::t[x - y] - ValueError: 1 - 2")) == [
        "a.py::t[x - y] - ValueError: 1 - 2",
        "a.py::t[x - y] - ValueError: 1",
        "a.py::t[x - y]",
        "a.py::t[x",
    ]


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("a.py::t[x - y] - ValueError", "a.py::t[x - y]"),
        ("a.py::t - assert [1] == [2]", "a.py::t"),
        ("a.py", "a.py"),
    ],
)
def test_the_shortest_with_balanced_brackets_is_chosen(text: str, node: str) -> None:
    assert find_node_id(text) == node


def test_an_error_outside_a_test_names_its_phase() -> None:
    assert split_title("ERROR at setup of test_a") == ("ERROR at setup of ", "test_a")
    assert split_title("TestA.test_a") == ("", "TestA.test_a")


@pytest.mark.parametrize(
    ("text", "path"),
    [("src/a.py:12: ValueError", "src/a.py"), ('  File "a b.py", line 3, in f', "a b.py"), ("E   assert 1", ""), ("plain", "")],
)
def test_a_place_holds_a_path(text: str, path: str) -> None:
    assert find_path(text) == path


def test_the_line_of_a_subtest_is_that_of_its_block() -> None:
    blocks = [SessionPart(f"T.test_s (i={n})", n * 3, n * 3 + 2) for n in (1, 2)]
    named = [Marker(9 + n, "named", f"SUBFAILED(i={n}) a.py::T::test_s - AssertionError: {n}") for n in (1, 2, 3)]
    lines = lines_from_bytes(b"x\n" * 9)
    failures, left = read_failures(blocks, named, lines, 10)
    assert [failure.name for failure in failures] == ["a.py::T::test_s (i=1)", "a.py::T::test_s (i=2)"]
    assert [marker.number for marker in left] == [12]
