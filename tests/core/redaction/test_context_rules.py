"""Each rule compiles, has markers in lower case, and says which group is the secret."""

import re

import pytest

from ctxkit.core.redaction.context_rules import RULES, ContextRule
from ctxkit.core.redaction.find_secrets import find_secrets


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.kind)
def test_a_rule_names_its_markers_and_its_secret(rule: ContextRule) -> None:
    groups = re.compile(rule.pattern).groupindex
    assert ("values" in groups) == bool(rule.inner)
    assert "value" in (re.compile(rule.inner).groupindex if rule.inner else groups)
    assert all(mark == mark.lower() for mark in rule.marks)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<section type='X, Version=4.0.0.0, PublicKeyToken=b03f5f7f11d50a3a'/>", False),
        ("git -c credential.helper='!mise x -- gh auth git-credential' push", False),
        ("token=b03f5f7f11d50a3a", True),
        ("my_credential=Sup3rS3cretPass99", True),
    ],
)
def test_names_that_only_look_secret_have_public_values(text: str, found: bool) -> None:
    assert bool(list(find_secrets(text))) is found
