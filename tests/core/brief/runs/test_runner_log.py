import re

import pytest

from ctxkit.core.brief.runs.failures import FailureReading
from ctxkit.core.brief.runs.runner_log import RunnerFormat, clean_block, parse_test_log
from ctxkit.core.text import lines

MARK = re.compile(r"\n(?:FAIL |FILE |DONE |END|NOTE )[^\n]*")


def sort(text):
    kinds = {"FAIL": "title", "FILE": "group", "DONE": "verdict", "END": "end", "NOTE": "note", "on:": "on"}
    word, _, rest = text.partition(" ")
    if text.endswith("... bad"):
        return "named", text.removesuffix(" ... bad")
    return kinds.get(word, ""), rest if word in ("FAIL", "FILE") else text


READING = FailureReading(list, lambda text: "", lambda path: None)
FORMAT = RunnerFormat("some", MARK, sort, READING, outcomes=("... bad",))
LOG = """\
FILE a.x
t1 ... bad
FAIL one
 why
FAIL two
END
FILE b.x
FAIL three
DONE 3
NOTE hm
"""


def found(text, form=FORMAT):
    return parse_test_log(lines.lines_from_bytes(text.encode()), form)


def test_blocks_end_where_the_next_mark_stands() -> None:
    trials = found(LOG)
    assert [(one.group, one.name, one.start, one.end) for one in trials.failures] == [
        ("a.x", "one", 3, 4),
        ("a.x", "two", 5, 5),
        ("b.x", "three", 8, 8),
    ]


def test_verdicts_notes_and_named_tests_are_kept_with_their_lines() -> None:
    trials = found(LOG)
    assert [(mark.number, mark.text) for mark in trials.summaries] == [(9, "DONE 3")]
    assert [mark.number for mark in trials.notes] == [10]
    assert [(mark.number, mark.text) for mark in trials.named] == [(2, "t1")]


def test_titles_that_share_a_block_end_together() -> None:
    trials = found("FAIL one\nFAIL two\n why\nEND\n", RunnerFormat("some", MARK, sort, READING, shared=True))
    assert [(one.start, one.end) for one in trials.failures] == [(1, 3), (2, 3)]


def test_a_strict_format_takes_titles_below_their_heading_only() -> None:
    form = RunnerFormat("some", re.compile(r"\n(?:FAIL |on:)[^\n]*"), sort, READING, strict=True)
    assert [one.name for one in found("FAIL one\non: \nFAIL two\n", form).failures] == ["two"]


def test_a_log_without_marks_is_empty() -> None:
    assert found("x\ny\n").is_empty


@pytest.mark.parametrize(
    ("block", "text"),
    [
        ("\x1b[31mFAIL\x1b[0m one", "FAIL one"),
        ("10%\r50%\rFAIL one\nx", "FAIL one\nx"),
        ("a\r\nb\r", "a\nb"),
        ("2026-01-01T00:00:00.1234567Z FAIL one\n2026-01-01T00:00:00.1234567Z x", "FAIL one\nx"),
        ("plain", "plain"),
    ],
)
def test_what_a_terminal_would_show_is_read(block: str, text: str) -> None:
    assert clean_block(block) == text
