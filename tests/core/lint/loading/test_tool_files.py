import pytest

from ctxkit.core.lint.loading.tool_files import find_tool, suggest_sharing


@pytest.mark.parametrize(
    ("path", "tool"),
    [
        ("AGENTS.md", "Codex"), ("web/CLAUDE.md", "Claude Code"), (".claude/rules/a.md", "Claude Code"),
        ("GEMINI.md", "Gemini CLI"), (".cursor/rules/a.mdc", "Cursor"), (".windsurfrules", "Windsurf"),
        (".clinerules/a.md", "Cline"), (".github/copilot-instructions.md", "Copilot"), ("README.md", ""),
    ],
)  # fmt: skip
def test_the_tool_of_a_file_is_known_by_its_path(path, tool):
    assert find_tool(path) == tool


def test_each_tool_shares_a_file_as_its_documentation_says():
    assert "'@AGENTS.md' in CLAUDE.md" in suggest_sharing("CLAUDE.md", "AGENTS.md")
    assert "context.fileName" in suggest_sharing("GEMINI.md", "AGENTS.md")
    assert suggest_sharing(".clinerules", "AGENTS.md") == "Cline reads AGENTS.md itself, so .clinerules needs no copy"
    assert suggest_sharing("web/.cursor/rules/a.mdc", "web/AGENTS.md").startswith("Cursor reads web/AGENTS.md itself")


@pytest.mark.parametrize(
    ("path", "keeper"),
    [(".claude/rules/a.md", "AGENTS.md"), (".windsurfrules", ".clinerules"), (".cursor/rules/a.mdc", "web/AGENTS.md")],
)
def test_what_a_tool_cannot_do_is_not_suggested(path, keeper):
    assert suggest_sharing(path, keeper) == ""
