from time import perf_counter

import pytest

from ctxkit.core.brief.runs import failures
from ctxkit.core.brief.runs.failures import (
    FIRST,
    FRAME,
    NEAR,
    RUST,
    SAME,
    SCRIPT,
    VARIANT,
    find_panic,
    match_path,
    take_until,
)
from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.pytest_run import SessionPart, find_node_id, read_failures
from ctxkit.core.text import lines


def named(*rows):
    return [Marker(number, "named", row) for number, row in enumerate(rows, 100)]


def details(text, *parts):
    held = lines.lines_from_bytes(text.encode())
    ((failure,), _) = read_failures([SessionPart("test_a", 1, held.total, parts=list(parts))], [], held, 10)
    return {detail.rank: detail.entry.label for detail in reversed(failure.details)}


def names(blocks, *rows):
    found, left = read_failures([SessionPart(title, 1, 1) for title in blocks], named(*rows), lines.lines_from_bytes(b"x"), 0)
    return [failure.name for failure in found], [mark.text for mark in left]


def test_a_failure_is_named_as_the_summary_names_it() -> None:
    blocks = ["TestA.test_x[a - b]", "ERROR at setup of test_y", "ERROR collecting b.py"]
    rows = [
        "FAILED a.py::TestA::test_x[a - b] - boom - x",
        "ERROR a.py::test_y - no",
        "ERROR b.py",
        "FAILED c.py::test_z",
    ]
    assert names(blocks, *rows) == (
        ["a.py::TestA::test_x[a - b]", "ERROR at setup of a.py::test_y", "ERROR collecting b.py"],
        ["FAILED c.py::test_z"],
    )


def test_tests_of_one_name_take_their_files_in_order() -> None:
    assert names(["test_x", "test_x"], "FAILED a.py::test_x", "FAILED b.py::test_x")[0] == [
        "a.py::test_x",
        "b.py::test_x",
    ]


def test_the_message_is_that_of_the_last_exception_and_the_place_is_one_of_the_project() -> None:
    first = "_ test_a _\n>   f()\nE   KeyError: 1\n\na.py:3: KeyError\n"
    text = first + ">   g()\nE   ValueError: no\n\n/x/site-packages/y.py:7: ValueError\n"
    found = details(text)
    assert (found[FIRST], found[FRAME]) == ("E   ValueError: no", "a.py:3: KeyError")


CRASH = "worker 'gw0' crashed while running 'a.py::test_a'"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('Traceback (most recent call last):\n  File "/p/a.py", line 2, in test_a\nValueError: no', "ValueError: no"),
        ("001 >>> f()\nExpected:\n    1\nGot:\n    2\n\na.py:1: DocTestFailure", "Expected:"),
        ("[XPASS(strict)] should fail", "[XPASS(strict)] should fail"),
        (f"[gw0] linux -- Python 3.11.2\n{CRASH}", CRASH),
    ],
)
def test_a_block_without_e_lines_still_has_a_message(body: str, message: str) -> None:
    assert details(f"_ test_a _\n{body}\n")[FIRST] == message


def test_messages_that_were_told_before_come_later() -> None:
    held = lines.lines_from_bytes(b"_ a _\nE   x 1\n_ b _\nE   x 2\n_ c _\nE   x 1\n")
    found, _ = read_failures([SessionPart(name, at, at + 1) for name, at in (("a", 1), ("b", 3), ("c", 5))], [], held, 10)
    assert [failure.details[0].rank for failure in found] == [FIRST, VARIANT, SAME]
    assert [failure.similar_line for failure in found] == [0, 2, 2]


@pytest.mark.parametrize(
    ("said", "node"),
    [("a.py::t - b - c", "a.py::t"), ("a.py::t[x - y] - [1]", "a.py::t[x - y]"), ("a.py", "a.py")],
)
def test_the_node_id_is_what_stands_before_the_message(said: str, node: str) -> None:
    assert find_node_id(said) == node


def read_blocks(*blocks):
    text = "".join(blocks)
    found = lines.lines_from_bytes(text.encode())
    parts, start = [], 1
    for block in blocks:
        end = start + block.count("\n") - 1
        parts.append(SessionPart(f"test_{start}", start, end))
        start = end + 1
    return read_failures(parts, [], found, 10)[0]


def test_frames_around_a_message_are_no_details() -> None:
    box = "\u2554\u2550\u2550\u2557\n\u2551 install it first \u2551\n\u255a\u2550\u2550\u255d\n"
    (failure,) = read_blocks(f"_ test_a _\n{box}E   Error: no\n")
    labels = [detail.entry.label for detail in failure.details]
    assert "E   Error: no" in labels
    assert not any("\u2550" in label for label in labels)


def test_what_explains_the_same_message_again_is_quoted_once() -> None:
    block = "_ test _\n>   f(x)\nE   Error: no\nE   because of this\nE   {}\n"
    first, second = read_blocks(block.format("one"), block.format("two"))
    quoted = [[detail.entry.label for detail in failure.details if detail.rank == NEAR] for failure in (first, second)]
    assert quoted == [[">   f(x)", "E   because of this", "E   one"], ["E   two"]]


def number(*texts):
    return list(enumerate(texts, 1))


def test_a_message_ends_above_the_pattern() -> None:
    take = take_until(" at ", "skip.*")
    assert take(number("a", "skip this", "b", " at x", "c")) == [(1, "a"), (3, "b")]
    assert take(number(" at x", "c")) == [(1, " at x")]
    assert take([]) == []


def test_a_panic_of_rust_is_followed_by_its_message() -> None:
    panic = "thread 'a::b' (7) panicked at src/lib.rs:1:2:"
    assert find_panic(number("x", panic, "no", "note: run")) == [(3, "no")]
    old = "thread 'a' panicked at 'no', src/lib.rs:1:2"
    assert find_panic(number(old, "note: run")) == [(1, old)]
    assert find_panic(number("x", "Error: bad", "y")) == [(2, "Error: bad")]
    assert find_panic(number("x", "y")) == [(2, "y")]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("    at Object.<anonymous> (src/a.test.js:5:13)", "src/a.test.js"),
        (" \u276f src/a.test.ts:5:13", "src/a.test.ts"),
        ("    at file:///home/a.mjs:1:2", "file:///home/a.mjs"),
        ("    at async Promise.all (index 0)", ""),
        ("    at f (node:internal/timers:1:2)", "node:internal/timers"),
        ("    at C:\\a\\b.js:10:200", "C:\\a\\b.js"),
        ("    at a:1:2:3:4", "a:1:2"),
    ],
)
def test_the_path_of_a_script_is_read(line: str, path: str) -> None:
    assert match_path(SCRIPT, line) == path


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("thread 'main' panicked at src/main.rs:2:5:", "src/main.rs"),
        ("thread 'main' panicked at 'it's no, 'x', y', src/lib.rs:10:9", "src/lib.rs"),
        ("             at ./src/a b.rs:3:1", "./src/a b.rs"),
        ("thread 'main' panicked at 'no place'", ""),
    ],
)
def test_the_path_of_a_panic_is_read(line: str, path: str) -> None:
    assert match_path(RUST, line) == path


@pytest.mark.parametrize("name", ["PYTHON", "SCRIPT", "RUST", "GO", "RUBY", "PHP", "COMPILED"])
@pytest.mark.parametrize(
    "unit", [":1:1", "a:1", "at (a ", " a:1:1 ", "x.c", "a.rs:1 at ", "panicked at 'x', ", "/a.php", "1"]
)
def test_a_long_line_costs_no_time(name: str, unit: str) -> None:
    start = perf_counter()
    for lead in ("", "    at ", " # ", "\t"):
        match_path(getattr(failures, name), lead + unit * (50_000 // len(unit)) + "!")
    assert perf_counter() - start < 1
