"""Only so many findings of a rule are listed for a file, and what is left out is counted."""

from ctxkit.core.lint.document.finding import LintFinding
from ctxkit.core.lint.document.rule import WARNING
from ctxkit.core.lint.listing import MAX_LISTED, describe_omitted, limit_findings


def find(path: str, code: str, count: int) -> list[LintFinding]:
    return [LintFinding(code, WARNING, path, line, line, "x") for line in range(1, count + 1)]


def test_a_few_findings_are_all_listed() -> None:
    findings = find("a.md", "DUP001", 5)
    assert limit_findings(findings) == (findings, [])


def test_each_rule_has_its_own_limit_in_each_file() -> None:
    findings = [*find("a.md", "DUP001", 3), *find("a.md", "HYG004", 2), *find("b.md", "DUP001", 4)]
    listed, omitted = limit_findings(findings, 2)
    assert [(finding.path, finding.code, finding.line) for finding in omitted] == [
        ("a.md", "DUP001", 3),
        ("b.md", "DUP001", 3),
        ("b.md", "DUP001", 4),
    ]
    assert sorted([*listed, *omitted]) == sorted(findings)


def test_what_is_left_out_is_said_once_for_each_file_and_rule() -> None:
    omitted = limit_findings([*find("a.md", "DUP001", MAX_LISTED + 1_200), *find("b.md", "DUP001", MAX_LISTED + 1)]).omitted
    assert list(describe_omitted(omitted, "web/")) == [
        "web/a.md: 1,200 more findings of DUP001 not listed",
        "web/b.md: 1 more finding of DUP001 not listed",
    ]
