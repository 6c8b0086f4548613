"""Severities are ordered, and every rule explains itself."""

import re

import pytest

from ctxkit.core.lint.document.rule import ERROR, INFO, WARNING
from ctxkit.core.lint.registry import rules


def test_severities_are_ordered_and_have_words() -> None:
    assert INFO < WARNING < ERROR
    assert [severity.word for severity in (INFO, WARNING, ERROR)] == ["info", "warning", "error"]


@pytest.mark.parametrize("rule", rules().values(), ids=str)
def test_a_rule_has_all_its_texts(rule) -> None:
    assert re.fullmatch(r"[A-Z]{3}\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(?:-[a-z]+)*", rule.name)
    assert all((rule.summary, rule.rationale, rule.bad, rule.good, rule.evidence))
    assert rule.summary.endswith(".")
