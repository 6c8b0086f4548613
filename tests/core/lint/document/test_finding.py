"""How places are shown."""

from ctxkit.core.lint.document.finding import LineRange, LintFinding
from ctxkit.core.lint.document.rule import WARNING


def test_a_place_is_shown_with_one_line_or_two() -> None:
    assert str(LineRange("AGENTS.md", 3, 3)) == "AGENTS.md L3"
    assert str(LineRange("AGENTS.md", 3, 5)) == "AGENTS.md L3-5"


def test_the_location_of_a_finding_is_its_lines() -> None:
    finding = LintFinding("DUP001", WARNING, "AGENTS.md", 3, 5, "message")
    assert finding.location == LineRange("AGENTS.md", 3, 5)
