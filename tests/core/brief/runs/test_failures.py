import pytest

from ctxkit.core.brief.runs.failures import FIRST, FRAME, NEAR, SAME, VARIANT
from ctxkit.core.brief.runs.node_ids import find_node_id, read_failures
from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.sessions import SessionPart
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
