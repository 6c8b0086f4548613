from ctxkit.core.brief.runs.pytest_markers import Marker
from ctxkit.core.brief.runs.span_parser import SpanParser


def survey(*marks):
    spans = SpanParser(20)
    for number, kind, text in marks:
        spans.add_marker(Marker(number, kind, text))
    return spans.test_log


def test_a_failure_reaches_from_its_beginning_to_where_it_is_told() -> None:
    found = survey((1, "begin", "a"), (2, "begin", "b"), (5, "passed", "a"), (7, "failed", "b"))
    assert [(one.name, one.start, one.end) for one in found.failures] == [("b", 2, 7)]


def test_a_failure_without_a_beginning_is_only_named() -> None:
    found = survey((7, "failed", "b"))
    assert [(mark.number, mark.text) for mark in found.named] == [(7, "b")]
    assert found.failures == []


def test_verdicts_are_kept() -> None:
    assert [mark.text for mark in survey((1, "verdict", "2 failed")).summaries] == ["2 failed"]
