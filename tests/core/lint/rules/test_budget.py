from ctxkit.core.lint.document.workspace import TokenLimits
from ctxkit.core.lint.rules.budget import findings
from tests.core.lint.places import workspace

FILES = {"AGENTS.md": "one two three four\n", "web/AGENTS.md": "five six\n"}


def over(**limits):
    return [(one.code, one.path, one.tokens) for one in findings(workspace(FILES)._replace(limits=TokenLimits(**limits)))]


def test_there_is_no_limit_until_one_is_set() -> None:
    assert over() == []


def test_files_and_load_sets_over_their_limits_are_told_of() -> None:
    assert over(file_tokens=3) == [("BUD001", "AGENTS.md", 1)]
    assert over(by_path={"web/AGENTS.md": 1}) == [("BUD001", "web/AGENTS.md", 1)]
    assert set(over(set_tokens=5)) == {("BUD002", "AGENTS.md", 1)}


def test_files_over_the_limits_of_hosts_are_told_of() -> None:
    found = list(findings(workspace({"CLAUDE.md": "x\n" * 310, "AGENTS.md": "x" * 40_000})))
    assert [(one.code, one.path, one.line) for one in found] == [("BUD003", "AGENTS.md", 1), ("BUD004", "CLAUDE.md", 201)]
    assert "32,768" in found[0].message


def test_a_nested_file_is_loaded_with_the_files_of_its_directory() -> None:
    for path, when in (("CLAUDE.md", "in every session"), (".claude/CLAUDE.md", "in every session"), ("web/CLAUDE.md", "when it reads a file in its directory")):
        (finding,) = findings(workspace({path: "x\n" * 310}))
        assert f"Claude Code loads all of it {when}, and" in finding.message
        assert ("into .claude/rules with paths" in finding.message) is ("every session" in when)
        assert ("into CLAUDE.md files of the directories below" in finding.message) is ("its directory" in when)


def test_a_link_in_the_root_makes_a_file_one_of_every_session() -> None:
    (finding,) = findings(workspace({"docs/a.md": "x\n" * 310}, links={"CLAUDE.md": "docs/a.md"}))
    assert "Claude Code loads all of it in every session" in finding.message


def test_files_longer_than_advised_are_one_finding_and_only_if_they_clearly_are() -> None:
    lines = {"a/SKILL.md": 800, "b/SKILL.md": 900, "c/SKILL.md": 510, "d/SKILL.md": 20}
    space = workspace({f".claude/skills/{path}": f"---\nname: a\n---\n{'x' * 9}\n" * 1 + "x\n" * count for path, count in lines.items()})
    (finding,) = (one for one in findings(space) if one.code == "BUD004")
    assert finding.path == ".claude/skills/b/SKILL.md"
    assert [place.path for place in finding.related] == [".claude/skills/a/SKILL.md"]
    assert "1 more file is too long" in finding.message
    assert not list(findings(workspace({"CLAUDE.md": "x\n" * 290})))


def test_a_file_for_other_projects_has_no_limit_together_with_those_of_this_one() -> None:
    files = {"AGENTS.md": "x" * 20_000, "src/templates/AGENTS.md": "x" * 20_000, "src/other/AGENTS.md": "x"}
    assert not [one for one in findings(workspace(files)) if one.code == "BUD003"]


def test_what_is_always_loaded_has_a_limit_over_all_files_of_a_host() -> None:
    files = {"AGENTS.md": "word " * 15_000 + "\n", "a/AGENTS.md": "word " * 6_000, "b/AGENTS.md": "word " * 7_000}
    space = workspace(files)._replace(limits=TokenLimits(sizes={"codex_bytes": 0}))
    (finding,) = findings(space)
    assert finding.code == "BUD005"
    assert finding.message.startswith(
        "Claude Code in b, Codex in b, Cursor in b always load 22,000 tokens, the limit is 20,000, and 1 other"
    )
    assert not list(findings(space._replace(limits=TokenLimits(sizes={"codex_bytes": 0, "always_tokens": 0}))))


def test_a_file_beside_a_skill_is_loaded_by_nobody() -> None:
    files = {"ui/react/AGENTS.md": "word " * 21_000}
    assert [finding.code for finding in findings(workspace(files))] == ["BUD003", "BUD005"]
    assert list(findings(workspace({**files, "ui/react/SKILL.md": "x\n"}))) == []


def test_hosts_whose_largest_file_is_the_same_are_one_finding() -> None:
    files = {"AGENTS.md": "word " * 21_000 + "\n", ".cursor/rules/a.mdc": f"---\nalwaysApply: true\n---\n{'word ' * 3_000}"}
    (finding,) = findings(workspace(files)._replace(limits=TokenLimits(sizes={"codex_bytes": 0})))
    assert finding.message.startswith("Cursor always loads 24,0")
    assert " tokens, Claude Code 21,000, Codex 21,000, the limit" in finding.message


def test_descriptions_of_skills_are_always_loaded() -> None:
    files = {f".claude/skills/{number}/SKILL.md": f"---\nname: a\ndescription: {'word ' * 200}\n---\nx\n" for number in range(5)}
    space = workspace({"CLAUDE.md": "x\n", **files})._replace(limits=TokenLimits(sizes={"always_tokens": 900}))
    assert "BUD005" in {finding.code for finding in findings(space)}
