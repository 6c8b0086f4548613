from ctxkit.core.lint.registry import rules
from ctxkit.core.lint.rules import suppressions
from tests.core.lint.asked import codes


def test_the_rules_are_known_and_found_by_the_linter_itself() -> None:
    assert {rule.code for rule in suppressions.RULES} <= set(rules())
    assert codes(suppressions, {"AGENTS.md": "<!-- ctxkit: ignore DUP001 -->\n"}) == []
