"""Node ids may hold what separates them from their message."""

import pytest

from ctxkit.core.brief.runs.node_ids import find_node_id, find_path, list_node_ids, split_title


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
