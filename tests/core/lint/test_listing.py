"""Only so many findings of a rule are listed for a file, and what is left out is counted."""

import pytest

from ctxkit.core.lint.document.finding import WARNING, Fix, LineRange, LintFinding, TextEdit
from ctxkit.core.lint.listing import MAX_LISTED, REASON, describe_omitted, hide_outside, limit_findings
from ctxkit.core.lint.run import LintOptions, collect_findings
from tests.core.lint.places import workspace


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


TEXT = "# Rules\n\n- See [the style](docs/sytle.md) of this project.\n"
FILES = {f"{tool}/skills/a/SKILL.md": f"---\nname: a\ndescription: b\n---\n{TEXT}" for tool in (".claude", ".codex", ".github")}


def places(files):
    found = [finding for finding in collect_findings(workspace(files), LintOptions()) if finding.code == "REF005"]
    return [(finding.path, [place.path for place in finding.related]) for finding in found]


def test_a_fault_of_equal_files_is_told_of_once() -> None:
    assert places({**FILES, "a.py": "x"}) == [(".claude/skills/a/SKILL.md", [".codex/skills/a/SKILL.md", ".github/skills/a/SKILL.md"])]


def test_a_file_that_differs_has_a_finding_of_its_own() -> None:
    files = {**FILES, "a.py": "x", ".codex/skills/a/SKILL.md": FILES[".codex/skills/a/SKILL.md"] + "- More\n"}
    assert [path for path, _ in places(files)] == [".claude/skills/a/SKILL.md", ".codex/skills/a/SKILL.md"]


FIX = Fix((TextEdit("AGENTS.md", 0, 3, "zebra"),), True, "write zebra")
FINDING = LintFinding("DUP001", WARNING, "AGENTS.md", 1, 1, "zebra", fix=FIX, concept="zebra", essence="zebra")


@pytest.mark.parametrize(
    "finding",
    [
        FINDING._replace(path="OUT.md"),
        FINDING._replace(related=(LineRange("OUT.md", 2, 2),)),
        FINDING._replace(fix=Fix((TextEdit("OUT.md", 0, 3),), True, "zebra")),
    ],
)
def test_a_finding_in_or_about_it_has_neither_a_quote_nor_a_fix(finding: LintFinding) -> None:
    (hidden,) = hide_outside([finding], {"OUT.md"})
    assert hidden.message.endswith(REASON)
    assert hidden.fix is None
    assert "zebra" not in repr(hidden)
    assert (hidden.code, hidden.path, hidden.line, hidden.related) == (*finding[:1], finding.path, 1, finding.related)


def test_other_findings_stay() -> None:
    assert hide_outside([FINDING], {"OUT.md"}) == hide_outside([FINDING], frozenset()) == [FINDING]
