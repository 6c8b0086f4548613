import pytest

from ctxkit.core.lint.document.rule import ERROR, WARNING
from ctxkit.core.lint.rules import front_matter
from ctxkit.core.lint.rules.field_schemas import SCHEMAS
from ctxkit.core.lint.rules.front_matter import find_schema
from tests.core.lint.asked import asked, codes

AGENT = ".claude/agents/reviewer.md"
GOOD = "---\nname: reviewer\ndescription: Reviews a diff\n---\nReview the diff.\n"


def found(path: str, text: str, **others: str) -> list[str]:
    return [finding.code for finding in asked(front_matter, {path: text, **others}) if finding.path == path]


def test_front_matter_below_the_first_line_is_found() -> None:
    late = "# Rules\n\nx\n\n---\n\ndescription: y\nglobs: a/**\n---\n"
    first, *others = asked(front_matter, {f".cursor/rules/{name}.mdc": late for name in "ab"})
    assert (first.code, first.line, others) == ("STR001", 5, [])
    assert first.message.startswith("this front matter does not begin in the first line: Cursor reads it only there")
    assert found(".cursor/rules/a.mdc", "# Rules\n\n---\n\nNote: the rules\n\n---\n") == []
    assert found(".cursor/rules/a.mdc", "```\n---\ndescription: y\n---\n```\n") == []


def test_one_fault_of_files_of_a_directory_is_one_finding() -> None:
    text = GOOD.replace("name:", "allowed-tools: Read\nname:")
    (finding,) = asked(front_matter, {f".claude/agents/{name}.md": text for name in "abc"})
    assert finding.message.endswith("its field is 'tools' (and 2 more in the directory)")


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (AGENT, GOOD, []),
        (AGENT, "---\nname: reviewer\n---\nReview.\n", ["STR002"]),
        (AGENT, "---\ndescription: Use when: asked\n---\nReview.\n", ["STR001"]),
        (AGENT, "---\nname: reviewer\nReview the diff.\n", ["STR001"]),
        (AGENT, "---\nname: reviewer\ndescription: Reviews a diff\n---\n\n<!-- later -->\n", ["STR006"]),
        (AGENT, GOOD.replace("name:", "allowed-tools: Read\nname:"), ["STR003"]),
        (AGENT, GOOD.replace("description:", "tools: Read, Grpe, Bash(git *), mcp__x__y\ndescription:"), ["STR003"]),
        (AGENT, GOOD.replace("description:", "tools: Read, Grep, Bash(grpe *), my_tool\ndescription:"), []),
        (AGENT, GOOD.replace("description:", "tools: Shell, Web\ndescription:"), ["STR003"]),
        (AGENT, GOOD.replace("description:", "tools: Read, Create\ndescription:"), []),
        (AGENT, GOOD.replace("description:", "tools: read, bash\ndescription:"), []),
        (AGENT, GOOD.replace("description:", "tools: mcp__x__y, Other\ndescription:"), []),
        (AGENT, GOOD.replace("description:", "model: gpt-5.4\ndescription:"), ["STR003"]),
        (AGENT, GOOD.replace("description:", "model: us.anthropic.claude-opus-4\ndescription:"), []),
        (AGENT, GOOD.replace("description:", "model: inherit\ndescription:"), []),
        (".github/agents/a.agent.md", "---\nname: a\ndescription: A\nmodel: gpt-5.4\n---\nx\n", []),
        (AGENT, GOOD.replace("description:", "version: 2\ndescription:"), []),
        (".claude/agents/README.md", "# Agents\n", []),
        (".claude/agents/group/page.md", "# Notes\n", []),
        (".claude/skills/a/SKILL.md", "---\nname: a\n---\nx\n", ["STR002"]),
        (".claude/skills/a/SKILL.md", "---\ndescription: A\ntools: Read\n---\nx\n", ["STR003"]),
        (".claude/skills/a/SKILL.md", "# No front matter\n", ["STR002"]),
        (".agents/skills/a/SKILL.md", "---\ndescription: A\n---\nx\n", ["STR002"]),
        ("plugins/p/skills/a/SKILL.md", "---\nname: a\n---\nx\n", ["STR002"]),
        ("skills/a/SKILL.md", "---\nname: a\ndescription: A\n---\n", ["STR006"]),
        (".claude/commands/a.md", "Do it.\n", []),
        (".claude/commands/a.md", "---\nargument-hint: [base] [--rounds N]\n---\nDo it.\n", []),
        (".claude/commands/a.md", "---\nallowed_tools: Read\n---\nDo it.\n", ["STR003"]),
        (".cursor/rules/a.mdc", "---\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\nx\n", []),
        (".cursor/rules/a.mdc", "---\nalwaysapply: true\n---\nx\n", ["STR003"]),
        (".github/instructions/a.instructions.md", "# No front matter\n", ["STR002"]),
        (".github/instructions/a.instructions.md", "---\napplyTo: '**/*.py'\n---\nx\n", []),
        (".github/agents/a.agent.md", "---\nname: a\n---\nx\n", ["STR002"]),
        ("docs/a.md", "---\nname: a: b\n---\n", []),
    ],
)
def test_what_a_host_needs_of_each_kind_of_file(path: str, text: str, expected: list[str]) -> None:
    assert found(path, text) == expected


def test_an_agent_without_front_matter_is_found_among_others_that_have_it() -> None:
    others = {".claude/agents/b.md": GOOD, ".claude/agents/c.md": GOOD}
    assert found(AGENT, "You review diffs.\n", **others) == ["STR002"]
    assert found(".claude/agents/Readme.md", "# The agents\n", **others) == []


def test_a_message_says_what_is_wrong_what_the_host_does_and_where() -> None:
    (finding,) = asked(front_matter, {AGENT: "---\nname: reviewer\ndescription: Use when: asked\n---\nx\n"})
    assert (finding.line, finding.severity) == (3, ERROR)
    assert "skips the agent without a message" in finding.message
    (finding,) = asked(front_matter, {AGENT: "---\ncolor: red\n---\nx\n"})
    assert finding.message == "this agent has no name and no description: Claude Code skips the file without a message"
    assert finding.severity == WARNING


def test_each_row_of_fields_is_found_by_its_own_pattern() -> None:
    for schema in SCHEMAS:
        for pattern in schema.paths:
            path = pattern.replace("**/*", "a").replace("*", "a")
            assert find_schema(path) == schema


def test_codes_have_lines_in_the_file() -> None:
    assert codes(front_matter, {AGENT: "---"}) == [("STR006", 1)]
    assert codes(front_matter, {AGENT: "---\n[\n"}) == [("STR001", 1)]


def test_files_of_another_time_or_project_are_left_alone() -> None:
    skill = {"{}/.claude/skills/a/SKILL.md": "---\nname: a\n---\n\nRun it.\n"}
    for folder, count in (("app", 1), ("archive", 0), ("templates/app", 0)):
        files = {path.format(folder): text for path, text in skill.items()}
        assert len(codes(front_matter, files)) == count, folder


def test_what_files_of_a_directory_lack_is_one_finding() -> None:
    files = {f".claude/skills/{name}/SKILL.md": "# No front matter\n" for name in "abc"}
    (finding,) = asked(front_matter, files)
    assert finding.message.endswith("(and 2 more in the directory)")
    assert [place.path for place in finding.related] == [".claude/skills/b/SKILL.md", ".claude/skills/c/SKILL.md"]


def test_a_skill_that_is_part_of_a_program_needs_no_front_matter() -> None:
    assert found("web-bundles/coach/SKILL.md", "# Coach\n") == []


def test_the_same_fault_of_the_agents_of_a_directory_is_one_finding() -> None:
    bad = "---\nname: reviewer\ndescription: Use when: asked\n---\nx\n"
    (finding,) = asked(front_matter, {f".claude/agents/{name}.md": bad for name in "abc"})
    assert (finding.code, len(finding.related)) == ("STR001", 2)
    assert finding.message.endswith(" (and 2 more in the directory)")


def test_a_value_that_is_a_comment_is_called_one() -> None:
    (finding,) = asked(front_matter, {AGENT: "---\nname: reviewer\ndescription: ## When to use\n---\nx\n"})
    assert (finding.code, finding.line) == ("STR002", 3)
    assert finding.message == (
        "this agent has no description, because a # behind a blank begins a comment in YAML: Claude Code skips the file "
        "without a message; quotation marks around the value make it text"
    )


@pytest.mark.parametrize("text", ["", "\n\n", "#\n", "---\n\n"])
def test_an_empty_file_is_told_as_what_it_is(text: str) -> None:
    for path in ("CLAUDE.md", ".cursorrules", ".github/instructions/a.instructions.md", ".claude/skills/a/SKILL.md"):
        (finding,) = asked(front_matter, {path: text, "AGENTS.md": "- Be kind.\n"})
        assert (finding.code, finding.path, finding.line) == ("STR006", path, 1)
        assert finding.message == "the file is empty: whoever loads it learns nothing"
    assert found("HEARTBEAT.md", text) == []
    assert found("web/README.md", text) == []


def test_a_document_with_an_empty_title_alone_is_joined_with_its_neighbours() -> None:
    (finding,) = asked(front_matter, {f".claude/rules/{name}.md": "" for name in "abc"})
    assert finding.message == "the file is empty: whoever loads it learns nothing (and 2 more in the directory)"


def test_several_hosts_are_named_as_several() -> None:
    (finding,) = asked(front_matter, {".agents/skills/a/SKILL.md": "---\nname: a\ndescription: A\nuser-invokable: true\n---\nx\n"})
    assert finding.message == "hosts of Agent Skills ignore 'user-invokable' in this skill: its field is 'user-invocable'"
