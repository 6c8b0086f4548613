"""Equal files have one finding for the same fault."""

from ctxkit.core.lint.run import LintOptions, collect_findings
from tests.core.lint.places import workspace

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
