import pytest

from ctxkit.core.brief.runs.failures import FailedTest, FailureReading
from ctxkit.core.brief.runs.runner import Runner
from ctxkit.core.brief.runs.runner_log import FAILURE, ON, SUMMARY
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
