import pytest

from ctxkit.core.brief.runs.runner_log import (
    BEGIN,
    END,
    FAILED,
    FAILURE,
    GROUP,
    NAMED,
    NOTE,
    ON,
    PASSED,
    SUMMARY,
    clean_block,
    parse_test_log,
)
from ctxkit.core.text import lines

ROWS = (
    (FAILURE, "FAIL (.*)"),
    (GROUP, "FILE (.*)"),
    (SUMMARY, "DONE.*"),
    (END, "END"),
    (NOTE, "NOTE.*"),
    (ON, "on: .*"),
    (NAMED, r"(.*) \.\.\. bad"),
    (BEGIN, "begin (.*)"),
    (PASSED, "passed (.*)"),
    (FAILED, "failed (.*)"),
)
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


def found(text, **options):
    return parse_test_log(lines.lines_from_bytes(text.encode()), ROWS, **options)


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
    trials = found("FAIL one\nFAIL two\n why\nEND\n", shared=True)
    assert [(one.start, one.end) for one in trials.failures] == [(1, 3), (2, 3)]


def test_a_strict_format_takes_titles_below_their_heading_only() -> None:
    assert [one.name for one in found("FAIL one\non: x\nFAIL two\n", strict=True).failures] == ["two"]


def test_the_first_row_that_matches_a_whole_line_counts() -> None:
    rows = ((NOTE, "a b?"), (SUMMARY, "a b|a (c+)|a c d"))
    trials = parse_test_log(lines.lines_from_bytes(b"a b\na cc  \na c d\na b c\n"), rows)
    assert [mark.text for mark in trials.notes] == ["a b"]
    assert [(mark.number, mark.text) for mark in trials.summaries] == [(2, "cc"), (3, "a c d")]


def test_a_failure_reaches_from_its_beginning_to_where_it_is_told() -> None:
    trials = found("begin a\nbegin b\nx\npassed a\nfailed b\nDONE\n")
    assert [(one.name, one.start, one.end) for one in trials.failures] == [("b", 2, 5)]
    assert [mark.text for mark in trials.summaries] == ["DONE"]


def test_a_failure_without_a_beginning_is_only_named() -> None:
    trials = found("x\nfailed b\n")
    assert [(mark.number, mark.text) for mark in trials.named] == [(2, "b")]
    assert trials.failures == []


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
