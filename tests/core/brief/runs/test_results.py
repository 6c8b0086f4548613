from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.render import render_outline
from ctxkit.core.brief.runs.failures import FailureReading
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import FAILURE, NAMED, SUMMARY
from ctxkit.core.text import lines

RUNNER = Runner(
    "some",
    ((FAILURE, "FAIL (.*)"), (SUMMARY, "DONE.*"), (NAMED, "BAD (.*)")),
    ((0.9, "DONE"),),
    FailureReading(lambda body: list(body[:1]), lambda text: "", lambda path: None),
)


def said(text, target=2_000):
    data = text.encode()
    held = InputDocument(lines.lines_from_bytes(data), lambda at, size: data[at : at + size], lambda text: len(text) // 3, target, "log")
    made = RUNNER.outline(held)
    return made and render_outline(made[0], lambda _, body, __: body, None)


def test_a_log_without_marks_has_no_map() -> None:
    assert said("x\ny\n") is None


def test_output_before_a_summary_may_hold_failing_tests_that_are_not_known() -> None:
    text = said("Error: oops\nsome output\nDONE 1 bad\n")
    assert "- Lines 1-2: output before the summaries\n" in text


def test_a_verdict_that_follows_all_failures_closes_a_log() -> None:
    text = said("FAIL one\n why\nDONE 1 bad\n")
    assert "- 3: DONE 1 bad\n" in text
    assert "- Lines 1-2: one\n  - 2:  why" in text
    assert "no closing summary line" not in text


def test_a_log_without_a_verdict_says_so_and_shows_its_end() -> None:
    text = said("FAIL one\n why\n")
    assert text.startswith("- no closing summary line in this log")
    assert "## Lines 1-2, verbatim (the end)\nFAIL one\n why" in text


def test_a_verdict_before_the_last_failure_does_not_close_a_log() -> None:
    assert "no closing summary line in this log after line 3" in said("FAIL one\n why\nDONE 1\n") + said(
        "BAD zero\nFAIL one\nDONE 1\nFAIL two\n"
    )


def test_names_without_blocks_are_told_once_and_only_if_no_block_has_them() -> None:
    text = said("BAD one\nBAD two\nBAD two\nFAIL one\n why\nDONE 3\n")
    assert text.count("two") == 1
    assert "## Failing tests without a block\n- 2: two" in text


def test_what_stands_around_failures_is_named_with_its_trouble() -> None:
    text = said("start\nerror: disk is full\nFAIL one\n why\nDONE 1\nbye\n")
    assert "- Lines 1-2: output before these failing tests and summaries\n" in text
    assert "  - 2: error: disk is full" in text


def test_more_failing_tests_than_tokens_are_all_named_as_far_as_they_fit() -> None:
    text = said("".join(f"FAIL t{at}\n" for at in range(100)) + "DONE\n", target=200)
    assert "each function once\n- Lines 1-" in text
    assert "t99" in text


def test_only_the_test_of_a_subtest_is_reported_with_it() -> None:
    assert "without a block" in said("FAIL adds (twice)\nwhy\n\nBAD adds\nDONE 2\n")
    assert "without a block" not in said("FAIL test_s (m.T.test_s) (i=1)\nwhy\n\nBAD test_s (m.T.test_s)\nDONE 2\n")
