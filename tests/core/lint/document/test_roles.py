"""The role of a file follows from its path."""

import pytest

from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.roles import role_of, source_role_of


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("AGENTS.md", FileRole.INSTRUCTIONS),
        ("web/CLAUDE.md", FileRole.INSTRUCTIONS),
        ("SOUL.md", FileRole.PERSONA),
        ("TOOLS.md", FileRole.TOOLS),
        ("tools.md", None),
        ("MEMORY.md", FileRole.MEMORY),
        ("memory.md", FileRole.MEMORY),
        ("notes/memory.md", None),
        ("memory/2026-01-01.md", FileRole.DAILY),
        ("docs/memory/a.md", None),
        ("SESSION_4.md", FileRole.DAILY),
        ("bot/SESSION_4.md", FileRole.DAILY),
        ("Strat-docs/session-reports/SESSION_15_REPORT.md", None),
        ("_archive/SESSION_15.md", None),
        (".cursor/rules/style.mdc", FileRole.RULES),
        (".github/instructions/a.md", FileRole.RULES),
        (".clinerules", FileRole.RULES),
        (".claude/commands/fix.md", FileRole.COMMAND),
        (".claude/skills/notes.md", None),
        (".claude/skills/vendor/SKILL.md", FileRole.SKILL),
        ("vendor/github.com/a/b/CLAUDE.md", None),
        ("web/node_modules/x/.cursor/rules/a.mdc", None),
        ("skills/x/SKILL.md", FileRole.SKILL),
        ("CONTEXT.md", FileRole.CONTEXT),
        ("src/main.py", None),
    ],
)
def test_agents_find_a_file_by_its_path(path: str, role) -> None:
    assert role_of(path) is role


def test_a_readme_is_a_source() -> None:
    assert source_role_of("README.rst") is source_role_of("web/readme") is FileRole.README
    assert source_role_of("AGENTS.md") is None
