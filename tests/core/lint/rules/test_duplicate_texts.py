"""The examples of the rules on duplicates show what the rules find."""

import pytest

from ctxkit.core.lint.rules.duplicate_texts import RULES
from ctxkit.core.lint.rules.duplicates import findings
from tests.core.lint.places import workspace


def codes(*statements):
    lines = "".join(f"{statement}\n" for statement in statements)
    return {finding.code for finding in findings(workspace({"AGENTS.md": lines}))}


def test_the_bad_example_in_one_file_is_found_and_the_good_one_is_not() -> None:
    (rule,) = (rule for rule in RULES if rule.code == "DUP001")
    assert codes(*rule.bad.split("\n...\n")) == {"DUP001"}
    assert codes(rule.good) == set()


def test_the_near_example_is_found() -> None:
    (rule,) = (rule for rule in RULES if rule.code == "DUP003")
    assert codes(*(line.partition("- ")[2] and f"- {line.partition('- ')[2]}" for line in rule.bad.split("\n"))) == {"DUP003"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_codes_are_those_of_the_family(rule) -> None:
    assert rule.code.startswith("DUP")
