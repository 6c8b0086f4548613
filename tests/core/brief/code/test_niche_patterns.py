"""Every pattern compiles, names what it finds, and gives its kind."""

import re

import pytest

from ctxkit.core.brief.code.niche_patterns import NICHE_PATTERNS


@pytest.mark.parametrize("language", NICHE_PATTERNS)
def test_a_pattern_has_a_name_and_a_kind(language) -> None:
    for pattern in NICHE_PATTERNS[language]:
        groups = re.compile(pattern.pattern).groupindex
        assert "name" in groups
        assert pattern.kind or "kind" in groups


@pytest.mark.parametrize(
    ("language", "line", "name"),
    [
        ("abap", "CLASS zcl_order DEFINITION.", "zcl_order"),
        ("apex", "public with sharing class OrderService {", "OrderService"),
        ("verilog", "module counter (", "counter"),
    ],
)
def test_a_definition_is_named(language: str, line: str, name: str) -> None:
    matches = [re.match(pattern.pattern, line) for pattern in NICHE_PATTERNS[language]]
    assert name in [match["name"] for match in matches if match]
