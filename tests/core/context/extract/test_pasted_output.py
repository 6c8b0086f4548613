"""Output that a user pasted is told apart from the user's own words."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.context.extract.pasted_output import is_assignment, is_only_output, is_output_line, split_output

LOG = "".join(f"2026-04-02 19:48:1{at} | DEBUG | tool {at} registered\n" for at in range(6))
FAILED = f"{LOG}2026-04-02 19:48:20 | ERROR | cannot open a.db\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LOG, ""),
        (f"why does it stop here:\n{LOG}", "why does it stop here:"),
        (f"{LOG}\nPlease fix the start of the tools.", "Please fix the start of the tools."),
        (f"{LOG}it is ready. Please fix it.", "Please fix it."),
        (f"why does it stop: {LOG}", "why does it stop"),
        (f"{LOG}하지만 table은 그대로임\n{LOG}", "하지만 table은 그대로임"),
        ("root@a1:/r# ls\na.txt  b.txt\nc.txt  d.txt\ne.txt\nroot@a1:/r#  전부 지워 주세요", "전부 지워 주세요"),
        (f"{LOG}ERROR: 2   now why is it that I cannot see any of it", "now why is it that I cannot see any of it"),
        (f"c:\\app\\a.py\n\n{LOG}", ""),
        (f"[Tobben] The set-up is done now.\n{LOG}", "[Tobben] The set-up is done now."),
        ("~ $ ls\nmain.py  a.py\n~ $ cd app\nb.py  c.py\n~ $", ""),
    ],
)
def test_the_words_before_between_and_after_output(text: str, words: str) -> None:
    output = split_output(text)
    assert output is not None
    assert output.words == words


@pytest.mark.parametrize(
    "text",
    [
        "Fix these:\n\n1. The parser fails.\n2. The tests are slow.\n3. Errors are lost.\n- error: a\n- error: b",
        "# Plan\n\nBuild a page.\n\n- login screen\n- error state\n- protected routes\n",
        "Look:\n```\nERROR: 1\nERROR: 2\nERROR: 3\nERROR: 4\n```\nWhy?",
        "ERROR: 1\nERROR: 2",
        "",
    ],
)
def test_a_plan_and_a_marked_block_are_no_output(text: str) -> None:
    assert split_output(text) is None


def test_the_cause_of_a_failure_describes_output_better_than_the_failure() -> None:
    output = split_output(f"{LOG}x Build failed in 111ms\nCould not resolve './api' from 'a.vue'\n    at error (file:///a.js:1:2)\n")
    assert output is not None
    assert output.describe(80) == "9 lines of a log with \"Could not resolve './api' from 'a.vue'\""


def test_what_was_pasted_is_described_by_its_error_or_its_first_line() -> None:
    failed, ready = split_output(FAILED), split_output(LOG)
    assert failed is not None
    assert ready is not None
    assert failed.describe(200) == '7 lines of a log with "2026-04-02 19:48:20 | ERROR | cannot open a.db"'
    assert ready.describe(30) == '6 lines of a log that begin "2026-04-02 19:48:10 | DEBUG | …"'
    shell = split_output("~ $ ls\nmain.py  a.py\n~ $ make\nmake: nothing to do\n")
    assert shell is not None
    assert shell.describe(60).startswith("4 lines of a terminal")


@pytest.mark.parametrize(
    ("line", "is_output"),
    [
        ("ERROR: 2", True),
        ("go run ./cmd/server", True),
        ("Tests:  370 passed, 370 total", True),
        ("Last login: Tue Feb 24 23:59:39 on ttys003", True),
        ("Do you want to continue? (y/n) y", True),
        ("Go ahead with the second plan.", False),
        ("Test the upload of files.", False),
        ("Why is the error gone?", False),
        ("- error state", False),
    ],
)
def test_a_line_of_a_program(line: str, is_output: bool) -> None:
    assert is_output_line(line) is is_output


@given(st.lists(st.sampled_from(["ERROR: 1", "Fix it.", "", "a  b", "~ $ ls", "직접 고쳐", "why?", '"a": 1,', "(", "\\"]), max_size=12))
def test_no_line_is_lost(lines: list[str]) -> None:
    output = split_output("\n".join(lines))
    if output:
        kept = sorted("".join("".join([output.words, *output.lines]).split()))
        assert kept == sorted("".join("".join(lines).split()))


@pytest.mark.slow
def test_long_messages_take_linear_time() -> None:
    begin = time.perf_counter()
    for line in ("x(", "please", "my " + "a" * 590, "ERROR: 1  " + "a b " * 150, "a: b", "$ a", "必ず", '"a": ', " " * 40 + "x"):
        split_output(f"{line}\n" * (50_000 // len(line)))
        split_output(f"{line}\n{line * 20_000}\n{line}\n" * 2)
    assert time.perf_counter() - begin < 10


def test_the_cause_below_the_heading_of_an_error_is_named() -> None:
    log = "2025-08-11T19:46:08.530Z [error] Error in authorize: Error [ClientError]:\nInvalid `user.find()` invocation:\n\n\nThe table `User` does not exist in the database.\n    at a (b.js:1:2)\n    at c (d.js:3:4) {\n  code: 'P2021',\n  meta: [Object]\n}"
    output = split_output(f"here is the latest error code log {log}")
    assert output
    assert output.words == "here is the latest error code log"
    assert output.describe(200) == '8 lines of output with "The table `User` does not exist in the database"'


@pytest.mark.parametrize("line", ['SET API_KEY="a b"', "export key=x", "$env:PATH = 'x'", "API_KEY=sk-1"])
def test_a_line_that_sets_a_variable_has_no_words_of_the_user(line: str) -> None:
    assert is_assignment(line)
    assert is_only_output(line)
    assert is_output_line(line)


@pytest.mark.parametrize("text", ["Set API_KEY=x and run it", "set the key = x", "a = b", "Why?\n" + "ERROR: 2\n" * 5])
def test_a_message_with_words_is_not_only_output(text: str) -> None:
    assert not is_assignment(text)
    assert not is_only_output(text)


def test_a_log_is_only_output() -> None:
    assert is_only_output("ERROR: 2\n" * 5)
