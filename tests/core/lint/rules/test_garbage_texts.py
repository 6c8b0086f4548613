"""The examples of the rules on leftovers of compaction show what the rules find."""

import pytest

from ctxkit.core.lint.document.rule import Rule
from ctxkit.core.lint.rules import garbage
from ctxkit.core.lint.rules.garbage_texts import RULES
from tests.core.lint.asked import codes


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_bad_example_is_found_and_the_good_one_is_not(rule: Rule) -> None:
    bad, good = (text.removeprefix("MEMORY.md:\n") for text in (rule.bad, rule.good))
    assert {code for code, _ in codes(garbage, {"MEMORY.md": f"{bad}\n"})} == {rule.code}
    assert codes(garbage, {"MEMORY.md": f"{good}\n"}) == []
