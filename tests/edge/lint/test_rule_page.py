from pathlib import Path

import pytest

from ctxkit.core.errors import UsageError
from ctxkit.core.lint.registry import rules
from ctxkit.edge.lint.rule_page import explain_rules, overview_lines, rule_lines

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("rule", rules().values(), ids=list(rules()))
def test_every_rule_says_why_it_is_there(rule) -> None:
    lines = list(rule_lines(rule))
    assert lines[0] == f"# {rule.code} {rule.name} ({rule.severity.word})"
    assert all((rule.summary, rule.rationale, rule.bad, rule.good, rule.evidence))
    assert rule.summary in lines
    assert f"Evidence: {rule.evidence}" in lines


def test_the_overview_has_a_line_a_rule() -> None:
    assert [line.split()[0] for line in overview_lines(rules())] == list(rules())


def test_the_page_of_all_rules_is_as_it_is_written() -> None:
    text = "\n\n".join("\n".join(rule_lines(rule)) for rule in rules().values()) + "\n"
    assert (ROOT / "examples/rules.md").read_text() == text, "ctxkit dedupe explain ALL > examples/rules.md"


def test_a_rule_that_there_is_not_is_misuse() -> None:
    with pytest.raises(UsageError, match="XYZ"):
        explain_rules(["xyz"])
