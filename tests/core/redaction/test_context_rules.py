"""Each rule compiles, has markers in lower case, and says which group is the secret."""

import re

import pytest

from ctxkit.core.redaction.context_rules import RULES, ContextRule


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
def test_a_rule_names_its_markers_and_its_secret(rule: ContextRule) -> None:
    groups = re.compile(rule.pattern).groupindex
    assert ("values" in groups) == bool(rule.inner)
    assert "value" in (re.compile(rule.inner).groupindex if rule.inner else groups)
    assert all(mark == mark.lower() for mark in rule.marks)
