"""Node ids may hold what separates them from their message."""

import pytest

from ctxkit.core.brief.runs.pytest_markers import Marker, find_markers
from ctxkit.core.brief.runs.pytest_run import (
    SessionPart,
    build_run,
    find_node_id,
    find_path,
    list_node_ids,
    list_surroundings,
    read_failures,
    split_title,
)
from ctxkit.core.text import lines
from ctxkit.core.text.lines import lines_from_bytes


def ruled(text, fill):
    left = (78 - len(text)) // 2
    return f"{fill * left} {text} {fill * (78 - left - len(text))}"


def run(*rows):
    held = lines.lines_from_bytes("\n".join(rows).encode())
    return build_run(find_markers(held)[0], held.total)


LOG = (
    ruled("test session starts", "="),
    ruled("FAILURES", "="),
    ruled("test_a", "_"),
    "E   assert 0",
    ruled("Captured stdout call", "-"),
    "printed",
    ruled("test_b", "_"),
    "E   assert 1",
    ruled("short test summary info", "="),
    "FAILED a.py::test_a",
    ruled("2 failed in 0.10s", "="),
)


def test_blocks_end_where_the_next_begins() -> None:
    found = run(*LOG)
    assert [(block.title, block.start, block.end) for block in found.blocks] == [("test_a", 3, 6), ("test_b", 7, 8)]
    assert [(part.title, part.start, part.end) for part in found.blocks[0].parts] == [("Captured stdout call", 5, 6)]
    assert [verdict.number for verdict in found.summaries] == [11]
    assert found.is_closed


def test_a_log_without_its_end_is_not_closed() -> None:
    found = run(*LOG[:8])
    assert not found.is_closed
    assert [(block.title, block.end) for block in found.blocks] == [("test_a", 6), ("test_b", 8)]


def test_a_run_in_captured_output_is_not_a_run() -> None:
    inner = (
        ruled("test session starts", "="),
        ruled("FAILURES", "="),
        ruled("test_c", "_"),
        ruled("1 failed in 1s", "="),
    )
    found = run(*LOG[:6], *inner, *LOG[6:])
    assert [(block.title, block.start, block.end) for block in found.blocks] == [("test_a", 3, 10), ("test_b", 11, 12)]
    assert [verdict.number for verdict in found.summaries] == [15]


def test_rules_of_another_width_are_what_a_test_printed() -> None:
    found = run(*LOG[:6], "=== done ===", "___ odd ___", "= 3 passed in 0.10s =", *LOG[6:])
    assert [block.title for block in found.blocks] == ["test_a", "test_b"]
    assert [verdict.number for verdict in found.summaries] == [14]


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


LOG_PYTEST_RANGES = """preparing
error: odd
====== test session starts ======
platform linux
collected 1 item

a.py F
=========== FAILURES ============
____________ test_a _____________
E   assert 0
======== tests coverage =========
a.py  10  5
TOTAL  10  5  50%
======= 1 failed in 0.10s =======
Process completed
"""


def test_every_line_outside_the_blocks_is_in_a_stretch() -> None:
    held = lines.lines_from_bytes(LOG_PYTEST_RANGES.encode())
    found = list(list_surroundings(build_run(find_markers(held)[0], held.total), held))
    assert [(stretch.title, stretch.start, stretch.end) for stretch in found] == [
        ("progress and other output", 1, 2),
        ("session header", 3, 5),
        ("progress, a character or a line for each test", 6, 7),
        ("tests coverage", 11, 13),
        ("after the closing line", 15, 15),
    ]
    quoted = [detail.entry.label for stretch in found for detail in stretch.details]
    assert {"error: odd", "collected 1 item", "TOTAL  10  5  50%", "Process completed"} <= set(quoted)


def test_a_crash_is_no_progress() -> None:
    crash = "".join(f'  File "/p/a{n}.py", line {n} in f\n' for n in range(40))
    progress = "====== test session starts ======\ncollected 3 items\n\ntests/a.py ..\n"
    held = lines.lines_from_bytes(f"{progress}Fatal Python error: Segmentation fault\n\n{crash}".encode())
    found = list(list_surroundings(build_run(find_markers(held)[0], held.total), held))
    assert [(stretch.title, stretch.start, stretch.end) for stretch in found] == [
        ("session header", 1, 2),
        ("progress, a character or a line for each test", 3, 4),
        ("other output", 5, 46),
    ]
