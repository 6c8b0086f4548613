"""How places are shown."""

import re

import pytest

from ctxkit.core.lint.document.finding import ERROR, INFO, WARNING, LineRange, LintFinding
from ctxkit.core.lint.registry import rules


def test_a_place_is_shown_with_one_line_or_two() -> None:
    assert str(LineRange("AGENTS.md", 3, 3)) == "AGENTS.md L3"
    assert str(LineRange("AGENTS.md", 3, 5)) == "AGENTS.md L3-5"


def test_the_location_of_a_finding_is_its_lines() -> None:
    finding = LintFinding("DUP001", WARNING, "AGENTS.md", 3, 5, "message")
    assert finding.location == LineRange("AGENTS.md", 3, 5)


def test_severities_are_ordered_and_have_words() -> None:
    assert INFO < WARNING < ERROR
    assert [severity.word for severity in (INFO, WARNING, ERROR)] == ["info", "warning", "error"]


@pytest.mark.parametrize("rule", rules().values(), ids=str)
def test_a_rule_has_all_its_texts(rule) -> None:
    assert re.fullmatch(r"[A-Z]{3}\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(?:-[a-z]+)*", rule.name)
    assert all((rule.summary, rule.rationale, rule.bad, rule.good, rule.evidence))
    assert rule.summary.endswith(".")
