import pytest

from ctxkit.core.brief.document import InputDocument
from ctxkit.core.brief.render import render_outline
from ctxkit.core.brief.runs.failures import FailedTest, FailureReading
from ctxkit.core.brief.runs.runner import Runner, score_document
from ctxkit.core.brief.runs.runner_log import FAILURE, NAMED, ON, SUMMARY
from ctxkit.core.text import lines
from tests.core.brief.runs.documents import make_document

READING = FailureReading(lambda body: list(body[:1]), lambda text: "", lambda path: None)
ROWS = ((ON, "on"), (FAILURE, "FAIL (.*)"), (SUMMARY, "DONE.*"))
SCORES = ((0.9, r"DONE( \d)?"), (0.6, "FAIL .*"))


def make_runner(**rest):
    return Runner("some", ROWS, SCORES, READING, **rest)


@pytest.mark.parametrize(("line", "score"), [("DONE 3", 0.9), ("DONE", 0.9), ("FAIL x", 0.6), ("DONE x", 0.0)])
def test_the_first_pattern_of_a_whole_line_is_its_score(line: str, score: float) -> None:
    assert make_runner().score_line(line) == score
    assert make_runner().sniff(make_document(line)) == score


def get_labels(runner, text):
    outlines = runner.outline(make_document(text))
    return [entry.label for section in outlines[0].sections for entry in section.entries] if outlines else []


def test_names_are_split_into_groups_and_names() -> None:
    failures = [FailedTest("a.x > one (i=1)", 1, 1), FailedTest("b.x", 2, 2)]
    seen = []
    split = r"(?P<group>\S+) > (?P<name>\S+)(?P<rest>.*)"
    runner = make_runner(split=split, unsplit_is_error=True, finish=lambda log, _: seen.extend(log.failures))
    runner.outline(make_document("".join(f"FAIL {one.name}\n" for one in failures)))
    assert [(one.group, one.short_name, one.is_error) for one in seen] == [("a.x", "one (i=1)", False), ("b.x", "", True)]


def test_results_that_tell_of_failures_replace_the_others() -> None:
    labels = get_labels(make_runner(bad="DONE bad"), "DONE ok\nFAIL a\nDONE bad\n")
    assert ("DONE bad" in labels, "DONE ok" in labels) == (True, False)
    assert "DONE ok" in get_labels(make_runner(bad="DONE bad"), "DONE ok\n")


def test_sections_count_only_if_the_runner_has_them() -> None:
    strict = make_runner(strict=True)
    assert "a" not in get_labels(strict, "FAIL a\nDONE\n")
    assert "a" in get_labels(strict.without_sections(), "FAIL a\nDONE\n")
    assert get_labels(strict, "FAIL a\n") == []


def test_a_finish_may_empty_a_log() -> None:
    def clear(test_log, _):
        test_log.summaries.clear()

    assert make_runner(finish=clear).outline(make_document("DONE\n")) is None


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


SURE = {"Ran 3 tests": 0.9, "OK": 0.8}


def claimed(text, name="stdin", scores=SURE):
    data = text.encode()
    document = InputDocument(lines.lines_from_bytes(data), lambda at, size: data[at : at + size], len, 500, name)
    return score_document(document, lambda row: scores.get(row, 0.0))


def test_the_best_line_counts_and_others_that_agree_add_a_little() -> None:
    assert claimed("x\nOK\n") == 0.8
    assert claimed("x\nRan 3 tests\nOK\n") == pytest.approx(0.92)
    assert claimed("nothing\n") == 0.0


def test_a_claim_that_is_too_weak_is_none() -> None:
    assert claimed("OK\n", scores={"OK": 0.4}) == 0.0


def test_names_of_source_and_prose_claim_nothing() -> None:
    assert claimed("OK\n", name="notes.md") == 0.0
    assert claimed("OK\n", name="run.log") == 0.8


def test_what_stands_between_fences_is_a_quotation() -> None:
    assert claimed("see\n```\nOK\n```\n") == 0.0
    assert claimed("```\nx\n```\nOK\n") == 0.8


def test_what_stands_below_source_is_a_quotation() -> None:
    assert claimed("import os\ndef a():\nclass B:\nOK\n") == 0.0
    assert claimed("import os\ndef a():\nOK\n") == 0.8


def test_colours_and_line_ends_of_windows_do_not_hide_a_line() -> None:
    assert claimed("\x1b[32mOK\x1b[0m\r\n") == 0.8
