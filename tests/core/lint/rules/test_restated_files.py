"""Two files of which one restates many sections of the other are one finding."""

import pytest

from ctxkit.core.lint.document.rule import WARNING
from ctxkit.core.lint.rules import restated_files
from ctxkit.core.lint.rules.duplicates import findings
from ctxkit.core.lint.rules.restated_files import MAX_SECTIONS
from tests.core.lint.places import workspace

RULES = (
    ("Deploys to production need approvals from two maintainers.", "Production deploys need two approvals from maintainers."),
    ("Database migrations must be reversible without downtime.", "Migrations of the database must be reversible without downtime."),
    ("Screenshots belong in the folder of visual baselines.", "In the folder of visual baselines belong screenshots."),
    ("Feature flags expire after one quarter unless renewed.", "Unless renewed, feature flags expire after one quarter."),
    ("Translators review every string before the freeze.", "Every string is reviewed by translators before the freeze."),
)


def make_files(count: int) -> dict[str, str]:
    """Return two files of one load set, the second of which restates so many sections of the first."""
    kept = "".join(f"## Part {number}\n\n- {rule}\n\n" for number, (rule, _) in enumerate(RULES[:count]))
    said = "".join(f"## Topic {number}\n\n- {rule}\n\n" for number, (_, rule) in enumerate(RULES[:count]))
    return {"AGENTS.md": f"# A\n\n{kept}", "SOUL.md": f"# S\n\n- Be kind.\n\n{said}"}


@pytest.mark.parametrize("count", [1, MAX_SECTIONS])
def test_a_few_sections_are_findings_of_their_own(count: int) -> None:
    made = [one for one in findings(workspace(make_files(count))) if one.code == "DUP003"]
    assert len(made) == count
    assert all(len(one.related) == 1 for one in made)


def test_more_sections_of_two_files_are_one_finding() -> None:
    made = workspace(make_files(5))
    (one,) = findings(made)
    assert (one.code, one.severity, one.path, one.line) == ("DUP003", WARNING, "SOUL.md", 7)
    assert one.message == "5 sections say nearly what AGENTS.md says (lines 7/5, 11/9, 15/13 and 2 more)"
    assert [str(place) for place in one.related] == [
        *("AGENTS.md L5", "SOUL.md L11", "AGENTS.md L9", "SOUL.md L15", "AGENTS.md L13"),
        *("SOUL.md L19", "AGENTS.md L17", "SOUL.md L23", "AGENTS.md L21"),
    ]
    single = [list(findings(workspace(make_files(count))))[-1] for count in (1, 2)]
    assert one.tokens == dict(one.wasted)[single[0].wasted[0][0]] > 4 * min(part.tokens for part in single)


def test_the_fix_is_that_of_each_section(monkeypatch: pytest.MonkeyPatch) -> None:
    made = workspace(make_files(5))
    (one,) = findings(made)
    monkeypatch.setattr(restated_files, "MAX_SECTIONS", 9)
    each = [edit for part in findings(made) if part.fix for edit in part.fix.edits]
    assert one.fix is not None
    assert not one.fix.safe
    assert len(each) > 2
    assert sorted(one.fix.edits) == sorted(each)


def test_files_in_other_pairs_do_not_count() -> None:
    files = make_files(4)
    half = files["SOUL.md"].index("## Topic 2")
    files |= {"SOUL.md": files["SOUL.md"][:half], "IDENTITY.md": f"# I\n\n- Be kind to cats.\n\n{files['SOUL.md'][half:]}"}
    made = [one for one in findings(workspace(files)) if one.code == "DUP003"]
    assert sorted(one.path for one in made) == ["IDENTITY.md", "IDENTITY.md", "SOUL.md", "SOUL.md"]
