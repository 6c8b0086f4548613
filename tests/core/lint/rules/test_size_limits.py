import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.workspace import TokenLimits
from ctxkit.core.lint.rules.size_limits import SIZE_NAMES, find_always_tokens, find_excesses, measure
from tests.core.lint.places import workspace


def over(files: dict[str, str], **sizes: int) -> list[tuple[str, str, int]]:
    space = workspace(files)
    space = space._replace(limits=TokenLimits(sizes={**space.limits.sizes, **sizes}))
    return [(excess.limit.setting, excess.document.path, excess.size) for excess in find_excesses(space)]


@pytest.mark.parametrize(
    ("path", "text", "setting"),
    [
        ("CLAUDE.md", "x\n" * 201, "claude_md_lines"),
        ("web/.claude/CLAUDE.md", "x\n" * 201, "claude_md_lines"),
        ("skills/a/SKILL.md", "x\n" * 501, "skill_lines"),
        (".cursor/rules/a.mdc", "x\n" * 501, "cursor_rule_lines"),
        (".windsurf/rules/a.md", "x" * 12_001, "windsurf_rule_characters"),
        (".github/agents/a.agent.md", "x" * 30_001, "copilot_agent_characters"),
        ("AGENTS.md", "x" * 32_769, "codex_bytes"),
    ],
)
def test_files_over_the_limit_of_a_row_are_found_and_those_at_it_are_not(path: str, text: str, setting: str) -> None:
    assert [name for name, *_ in over({path: text})] == [setting]
    assert over({path: text.removesuffix("x\n").removesuffix("x")}) == []
    assert over({path: text}, **{setting: 0}) == []
    assert over({path: text}, **{setting: 100_000}) == []


def test_of_a_chain_the_smallest_set_over_the_limit_is_found() -> None:
    files = {"AGENTS.md": "x" * 20_000, "a/AGENTS.md": "x" * 20_000, "a/b/AGENTS.md": "x", "c/AGENTS.md": "x"}
    assert over(files) == [("codex_bytes", "a/AGENTS.md", 40_000)]


def test_a_file_beside_a_skill_is_a_part_of_it() -> None:
    files = {"AGENTS.md": "x", "ui/react/AGENTS.md": "x" * 40_000}
    assert over(files) == [("codex_bytes", "ui/react/AGENTS.md", 40_001)]
    assert over({**files, "ui/react/SKILL.md": "x"}) == []


def test_the_settings_of_codex_change_its_limit() -> None:
    files = {"AGENTS.md": "x" * 100, ".codex/config.toml": "project_doc_max_bytes = 99"}
    assert over(files) == [("codex_bytes", "AGENTS.md", 100)]
    assert over(files, codex_bytes=200) == []


def test_sizes_are_bytes_characters_or_lines() -> None:
    document = parse_document("a.md", "é\nb".encode())
    assert [measure(document, unit) for unit in ("bytes", "characters", "lines")] == [4, 3, 2]


def test_the_limit_of_what_is_always_loaded_has_a_name_too() -> None:
    assert "always_tokens" in SIZE_NAMES
    assert find_always_tokens(workspace({})) == 20_000
