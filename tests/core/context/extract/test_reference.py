"""A task names what it refers to."""

import time

from ctxkit.core.context.extract.reference import (
    find_error_sentence,
    find_named_subject,
    find_numbered_item,
    is_status,
)
from ctxkit.core.context.extract.request_quote import find_task_sentence
from tests.core.context.extract.test_task import page_of
from tests.core.context.talk import ran, said, user

REVIEW = "I see two things:\n\n1. **Speed**: a.py reads each file twice.\n2. The stats path has no analytics.\n"


def test_a_number_stands_for_an_item_of_the_last_list() -> None:
    talk = [user("Review the branch."), said(REVIEW), user("Let's add analytics for 2"), *ran("ls", "a")]
    assert page_of(*talk).task.startswith('Let\'s add analytics for 2 (2: "The stats path has no analytics"')
    assert find_numbered_item("do 1", [REVIEW]) == '1: "Speed: a.py reads each file twice"'
    assert find_numbered_item("do 7", [REVIEW]) == ""
    assert find_numbered_item("Wait for 2 s", [REVIEW]) == ""


def test_a_general_noun_is_named() -> None:
    text = 'Hello all. The CTF challenge is a problem named "Katy", worth 10 points. Good luck. Solve the challenge.'
    assert page_of(user(text), *ran("ls", "a")).task == 'The CTF challenge is a problem named "Katy", worth 10 points; Solve the challenge.'
    assert find_named_subject(['The challenge is named "Katy".'], "Solve the challenge.") == 'The challenge is named "Katy".'
    assert find_named_subject(["The task is to wait."], "Solve the task.") == ""
    assert find_named_subject(["The parser is slow."], "Solve it.") == ""


def test_output_alone_is_named_by_its_error() -> None:
    output = "✓ Compiled successfully\n\nFailed to compile.\n\n./a.tsx\n230:52  Error: a quote must be escaped."
    assert find_task_sentence(output) == "230:52 Error: a quote must be escaped."
    assert is_status("✓ Compiled successfully")
    assert find_error_sentence(["The parser fails since Monday.", "Error: no rows"]) == ""


def test_an_issue_in_an_element_is_named_though_it_has_headings() -> None:
    issue = "<pr_description>\nConsider this PR:\nUse html.escape of the library.\nDescription\nIt is slow.\n</pr_description>"
    task = page_of(user(f"{issue}\nMake the changes that it asks for."), *ran("ls", "a")).task
    assert task == 'Make the changes that it asks for ("Use html.escape of the library")'


def test_long_lists_take_linear_time() -> None:
    begin = time.perf_counter()
    find_numbered_item("do 7", ["1. a\n" * 50_000, "*" * 200_000, " " * 200_000, "1" * 200_000])
    find_error_sentence(["x", "Error" * 50_000, "error: " * 50_000])
    assert time.perf_counter() - begin < 5
