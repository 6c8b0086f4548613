import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.roles import role_of
from ctxkit.core.lint.loading.hosts import HOSTS
from ctxkit.core.lint.loading.load_sets import find_home, find_load_sets


def sets(files, aliases=None):
    aliases = aliases or {}
    documents = [
        parse_document(path, text.encode(), role_of(path) or "docs", tuple(aliases.get(path, ())))
        for path, text in sorted(files.items())
    ]
    return find_load_sets(documents)


def paths(files, agent, directory="", always=True, **more):
    found = [one for one in sets(files, **more) if (one.agent, one.directory, one.always) == (agent, directory, always)]
    return [one.paths for one in found]


def test_claude_reads_its_own_files_from_the_root_down_with_imports_and_rules() -> None:
    files = {
        "CLAUDE.md": "@docs/style.md\n",
        "docs/style.md": "@more.md\n",
        "docs/more.md": "deep\n",
        ".claude/CLAUDE.md": "x\n",
        ".claude/rules/a.md": "x\n",
        ".claude/rules/py.md": "---\npaths: '**/*.py'\n---\nx\n",
        "CLAUDE.local.md": "x\n",
        "web/CLAUDE.md": "x\n",
        "api/CLAUDE.md": "x\n",
        "AGENTS.md": "not read\n",
    }
    root = ("CLAUDE.md", "docs/style.md", "docs/more.md", ".claude/CLAUDE.md", ".claude/rules/a.md", "CLAUDE.local.md")
    assert paths(files, "Claude Code") == [root]
    assert paths(files, "Claude Code", "web") == [(*root, "web/CLAUDE.md")]
    assert paths(files, "Claude Code", always=False) == [(*root, ".claude/rules/py.md")]


def test_claude_reads_agents_md_where_it_has_no_file_of_its_own() -> None:
    assert paths({"AGENTS.md": "x\n", "web/AGENTS.md": "y\n"}, "Claude Code", "web") == [("AGENTS.md", "web/AGENTS.md")]
    assert paths({"AGENTS.md": "x\n", "CLAUDE.md": "@AGENTS.md\n"}, "Claude Code") == [("CLAUDE.md", "AGENTS.md")]


def test_imports_in_circles_end() -> None:
    assert paths({"CLAUDE.md": "@b.md\n", "b.md": "@CLAUDE.md\n@b.md\n"}, "Claude Code") == [("CLAUDE.md", "b.md")]


def test_codex_takes_one_file_a_directory_from_the_root_down() -> None:
    files = {"AGENTS.md": "x\n", "AGENTS.override.md": "x\n", "a/b/AGENTS.md": "x\n", "a/c/AGENTS.md": "x\n"}
    assert paths(files, "Codex") == [("AGENTS.override.md",)]
    assert paths(files, "Codex", "a/b") == [("AGENTS.override.md", "a/b/AGENTS.md")]


def test_cursor_takes_rules_that_always_apply_and_others_on_demand() -> None:
    files = {
        ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nx\n",
        ".cursor/rules/b.mdc": "---\nglobs: *.py\n---\nx\n",
        ".cursor/rules/ignored.md": "x\n",
        "web/.cursor/rules/c.mdc": "---\nalwaysApply: true\n---\nx\n",
        ".cursorrules": "x\n",
        "AGENTS.md": "x\n",
        "CLAUDE.md": "x\n",
    }
    always = ("AGENTS.md", "CLAUDE.md", ".cursorrules", ".cursor/rules/a.mdc")
    assert paths(files, "Cursor") == [always]
    assert paths(files, "Cursor", "web") == [(*always, "web/.cursor/rules/c.mdc")]
    assert paths(files, "Cursor", always=False) == [(*always, ".cursor/rules/b.mdc")]


ROWS = [
    ("Claude Code", {"CLAUDE.md": "x", "a/.claude/rules/r.md": "x"}, "a", ("CLAUDE.md", "a/.claude/rules/r.md")),
    ("Claude Code", {".claude/AGENTS.md": "x", "AGENTS.md": "x"}, "", ("AGENTS.md", ".claude/AGENTS.md")),
    ("Claude Code", {"AGENTS.md": "x", "a/CLAUDE.local.md": "x"}, "a", ("a/CLAUDE.local.md",)),
    ("Codex", {"AGENTS.md": "x", "a/AGENTS.override.md": "x", "a/AGENTS.md": "x"}, "a", ("AGENTS.md", "a/AGENTS.override.md")),
    ("Gemini CLI", {"GEMINI.md": "x", "a/GEMINI.md": "x"}, "a", ("GEMINI.md", "a/GEMINI.md")),
    ("Cursor", {"AGENTS.md": "x", "CLAUDE.md": "x", "a/CLAUDE.md": "x"}, "", ("AGENTS.md", "CLAUDE.md")),
    ("Windsurf", {".windsurf/rules/a.md": "x", "b/.devin/rules/c.md": "x"}, "", (".windsurf/rules/a.md", "b/.devin/rules/c.md")),
    ("Windsurf", {".windsurfrules": "x", "AGENTS.md": "x", "a/AGENTS.md": "x"}, "a", (".windsurfrules", "AGENTS.md", "a/AGENTS.md")),
    ("Windsurf", {".windsurf/rules/m.md": "---\ntrigger: manual\n---\nx", "AGENTS.md": "x"}, "", ("AGENTS.md",)),
    ("Cline", {".clinerules/01.md": "x", ".clinerules/b.txt": "x", "AGENTS.md": "x"}, "", (".clinerules/01.md", ".clinerules/b.txt", "AGENTS.md")),
    ("Cline", {".clinerules": "x", ".cursorrules": "x"}, "", (".clinerules", ".cursorrules")),
    ("Cline", {".clinerules/a.md": "---\npaths:\n  - src/**\n---\nx", "AGENTS.md": "x"}, "", ("AGENTS.md",)),
    ("Copilot", {".github/copilot-instructions.md": "x", "AGENTS.md": "x"}, "", (".github/copilot-instructions.md", "AGENTS.md")),
    ("Copilot", {".github/copilot-instructions.md": "x", "AGENTS.md": "x", "a/AGENTS.md": "x"}, "a", (".github/copilot-instructions.md", "a/AGENTS.md")),
    ("Copilot", {".github/instructions/a.instructions.md": "---\napplyTo: '**'\n---\nx", "CLAUDE.md": "x"}, "", (".github/instructions/a.instructions.md", "CLAUDE.md")),
    ("Copilot", {".github/instructions/plain.md": "x", "AGENTS.md": "x"}, "", ("AGENTS.md",)),
    ("opencode", {"AGENTS.md": "x", "a/AGENTS.md": "x", "CLAUDE.md": "x", ".opencode/agents/x.md": "x"}, "a", ("a/AGENTS.md", "AGENTS.md")),
    ("opencode 1", {"CLAUDE.md": "x", ".opencode/agents/x.md": "x"}, "", ("CLAUDE.md",)),
    ("opencode 1", {"AGENTS.md": "x", "CLAUDE.md": "x", ".opencode/agents/x.md": "x"}, "", ("AGENTS.md",)),
    ("Roo Code", {".roo/rules/a.md": "x", ".roorules": "x", "AGENT.md": "x"}, "", ("AGENT.md", ".roo/rules/a.md")),
    ("Roo Code", {".roorules": "x", "AGENTS.md": "x", "AGENT.md": "x"}, "", ("AGENTS.md", ".roorules")),
    ("Kiro", {".kiro/steering/a.md": "x", "b/AGENTS.md": "x"}, "", (".kiro/steering/a.md", "b/AGENTS.md")),
    ("Kiro", {".kiro/steering/a.md": "---\ninclusion: manual\n---\nx", "AGENTS.md": "x"}, "", ("AGENTS.md",)),
    ("Continue", {".continue/rules/a.md": "x", "AGENT.md": "x", "CLAUDE.md": "x"}, "", ("AGENT.md", ".continue/rules/a.md")),
    ("Continue", {".continue/rules/a.md": "---\nglobs: '*.py'\n---\nx", "AGENTS.md": "x"}, "", ("AGENTS.md",)),
    ("Continue", {".continue/rules/a.md": "---\nglobs: '*.py'\nalwaysApply: true\n---\nx"}, "", (".continue/rules/a.md",)),
    ("Amp", {"AGENT.md": "x", "CLAUDE.md": "x", "a/CLAUDE.md": "@b.md", "a/b.md": "@c.md", "a/c.md": "x"}, "a", ("AGENT.md", "a/CLAUDE.md", "a/b.md")),
]  # fmt: skip


@pytest.mark.parametrize(("agent", "files", "directory", "loaded"), ROWS)
def test_each_host_loads_by_its_row(agent: str, files: dict[str, str], directory: str, loaded: tuple[str, ...]) -> None:
    assert paths(files, agent, directory) == [loaded]


def test_each_host_has_a_test() -> None:
    assert {row[0] for row in ROWS} == {host.name for host in HOSTS}


@pytest.mark.parametrize(
    ("agent", "path", "text"),
    [
        ("Windsurf", ".windsurf/rules/a.md", "---\ntrigger: model_decision\n---\nx\n"),
        ("Cline", ".clinerules/a.md", "---\npaths:\n  - src/**\n---\nx\n"),
        ("Copilot", ".github/instructions/py.instructions.md", "---\napplyTo: '**/*.py'\n---\nx\n"),
        ("Copilot", ".github/prompts/fix.prompt.md", "x\n"),
        ("Roo Code", ".roo/rules-code/a.md", "x\n"),
        ("Kiro", ".kiro/steering/a.md", "---\ninclusion: fileMatch\n---\nx\n"),
        ("Continue", ".continue/rules/a.md", "---\nalwaysApply: false\n---\nx\n"),
        ("Claude Code", ".claude/agents/sub/a.md", "x\n"),
    ],
)
def test_other_files_come_on_demand(agent: str, path: str, text: str) -> None:
    assert paths({"AGENTS.md": "x\n", path: text}, agent, always=False)[0][-1] == path


def test_hosts_without_a_sign_have_no_sets() -> None:
    assert {one.agent for one in sets({"AGENTS.md": "x\n"})} == {"Claude Code", "Codex", "Cursor"}


def test_a_chain_of_imports_ends_after_the_hops_of_the_host() -> None:
    chain = {f"d{number}.md": f"@d{number + 1}.md\n" for number in range(1, 8)}
    claude = paths({"CLAUDE.md": "@d1.md\n", **chain}, "Claude Code")[0]
    gemini = paths({"GEMINI.md": "@d1.md\n", **chain}, "Gemini CLI")[0]
    assert (claude[-1], gemini[-1]) == ("d4.md", "d5.md")


def test_names_of_skills_and_agents_are_always_in_the_window() -> None:
    files = {
        ".claude/skills/a/SKILL.md": "---\nname: a\ndescription: A\n---\nx\n",
        ".claude/skills/b/SKILL.md": "---\ndisable-model-invocation: true\n---\nx\n",
        ".claude/skills/LOOSE.md": "x\n",
        ".claude/agents/c.md": "---\nname: c\ndescription: C\n---\nx\n",
    }
    base = next(one for one in sets(files) if one.agent == "Claude Code")
    assert (base.paths, base.listed) == ((), (".claude/skills/a/SKILL.md", ".claude/agents/c.md"))
    assert all(".claude/skills/LOOSE.md" not in one.paths for one in sets(files))


@pytest.mark.parametrize(
    ("pattern", "path", "home"),
    [
        ("AGENTS.md", "a/b/AGENTS.md", "a/b"),
        ("AGENTS.md", "a/NOT-AGENTS.md", None),
        (".claude/CLAUDE.md", ".claude/CLAUDE.md", ""),
        (".claude/rules/**/*.md", "a/.claude/rules/b/c.md", "a"),
        (".claude/rules/**/*.md", "a/.claude/rules/c.txt", None),
        (".claude/skills/*/SKILL.md", ".claude/skills/SKILL.md", None),
        (".claude/skills/*/SKILL.md", ".claude/skills/a/b/SKILL.md", None),
        (".roo/rules-*/**/*", ".roo/rules-code/a.md", ""),
        (".roo/rules-*/**/*", ".roo/rules/a.md", None),
    ],
)
def test_a_pattern_stands_below_a_directory(pattern: str, path: str, home: str | None) -> None:
    assert find_home(pattern, path) == home


def test_a_link_is_the_file_it_leads_to() -> None:
    assert paths({"AGENTS.md": "x\n"}, "Claude Code", aliases={"AGENTS.md": ["CLAUDE.md"]}) == [("AGENTS.md",)]


def test_a_skill_comes_on_demand() -> None:
    files = {"CLAUDE.md": "x\n", ".claude/skills/ship/SKILL.md": "x\n", ".agents/skills/ship/SKILL.md": "y\n"}
    assert paths(files, "Claude Code", always=False) == [("CLAUDE.md", ".claude/skills/ship/SKILL.md")]
    assert paths(files, "Codex", always=False) == [(".agents/skills/ship/SKILL.md",)]


def test_files_are_told_by_their_paths() -> None:
    kinds = {
        "web/AGENTS.md": "instructions",
        ".cursor/rules/x/y.mdc": "rules",
        "memory/2026-01-01.md": "daily",
        "memory/MEMORY.md": "memory",
        ".claude/commands/ship.md": "command",
        "docs/tools.md": None,
        "TOOLS.md": "tools",
        "README.md": None,
    }
    assert {path: role_of(path) for path in kinds} == kinds


def test_names_count_as_the_tools_write_them() -> None:
    kinds = {"docs/tools/memory.md": None, "docs/agents.md": None, "src/claude.md": None, "memory.md": "memory"}
    assert {path: role_of(path) for path in kinds} == kinds
