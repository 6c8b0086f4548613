"""Outcomes of tests are compared as their runners name them."""

import time

import pytest

from ctxkit.core.repetition.outcomes import OutcomeChange, compare_outcomes, read_outcomes


@pytest.mark.parametrize(
    ("line", "name", "passed"),
    [
        (b"tests/test_a.py::test_x[1 2] PASSED   [ 50%]\n", "tests/test_a.py::test_x[1 2]", True),
        (b"FAILED tests/test_a.py::test_x - assert 1 == 2\n", "tests/test_a.py::test_x", False),
        (b"test parser::reads ... FAILED\n", "parser::reads", False),
        (b"    --- FAIL: TestSum/negative (0.00s)\n", "TestSum/negative", False),
        (b"test_x (tests.A.test_x) ... ok\n", "test_x (tests.A.test_x)", True),
        (b"not ok 3 - opens the file\n", "opens the file", False),
    ],
)
def test_each_runner_names_its_tests(line: bytes, name: str, passed: bool) -> None:
    assert read_outcomes([line]) == {name: passed}


def test_only_what_changed_is_named() -> None:
    old = [b"test a ... ok\n", b"test b ... FAILED\n", b"test c ... FAILED\n", b"test d ... FAILED\n"]
    new = [b"test a ... FAILED\n", b"test b ... ok\n", b"test c ... FAILED\n", b"test e ... FAILED\n"]
    change = compare_outcomes(old, new)
    assert change == OutcomeChange(("a", "e"), ("b",), ("d",))
    assert change.describe() == ["newly failing: a, e", "newly passing: b", "no longer named as failing: d"]


def test_a_test_that_is_no_longer_named_has_not_passed() -> None:
    change = compare_outcomes([b"FAILED a.py::x\n"], [b"1 passed\n"])
    assert (change.passing, change.unnamed) == ((), ("a.py::x",))


def test_other_text_has_no_outcomes() -> None:
    assert read_outcomes([b"ok\n", b"FAILED\n", b"build FAILED badly\n", b"\xff\xfe\n"]) == {}


def test_hostile_lines_take_little_time() -> None:
    lines = [b"::" * 249, b"test " * 99, b"a::" + b" " * 490, b"x" * 10_000] * 500
    began = time.monotonic()
    read_outcomes(lines)
    assert time.monotonic() - began < 10
