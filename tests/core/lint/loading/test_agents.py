
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.roles import role_of
from ctxkit.core.lint.loading.agents import find_load_sets


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
        ".cursor/rules/b.mdc": "---\nglobs: '*.py'\n---\nx\n",
        ".cursorrules": "x\n",
        "AGENTS.md": "x\n",
        "CLAUDE.md": "x\n",
    }
    always = ("AGENTS.md", ".cursorrules", ".cursor/rules/a.mdc")
    assert paths(files, "Cursor") == [always]
    assert paths(files, "Cursor", always=False) == [(*always, ".cursor/rules/b.mdc")]
    assert paths(files, "Cursor CLI") == [("AGENTS.md", "CLAUDE.md", ".cursorrules", ".cursor/rules/a.mdc")]


def test_windsurf_cline_and_gemini_have_files_of_their_own() -> None:
    files = {
        ".windsurfrules": "x\n",
        ".windsurf/rules/a.md": "---\ntrigger: model_decision\n---\nx\n",
        ".clinerules/01.md": "x\n",
        ".clinerules/02.md": "---\npaths:\n  - src/**\n---\nx\n",
        "GEMINI.md": "@./more.md\n",
        "more.md": "x\n",
        "AGENTS.md": "x\n",
    }
    assert paths(files, "Windsurf") == [(".windsurfrules", "AGENTS.md")]
    assert paths(files, "Windsurf", always=False) == [(".windsurfrules", "AGENTS.md", ".windsurf/rules/a.md")]
    assert paths(files, "Cline") == [(".clinerules/01.md", "AGENTS.md")]
    assert paths(files, "Gemini CLI") == [("GEMINI.md", "more.md")]
    assert paths({".clinerules": "x\n"}, "Cline") == [(".clinerules",)]


def test_copilot_takes_what_applies_everywhere() -> None:
    files = {
        ".github/copilot-instructions.md": "x\n",
        ".github/instructions/all.instructions.md": "---\napplyTo: '**'\n---\nx\n",
        ".github/instructions/py.instructions.md": "---\napplyTo: '**/*.py'\n---\nx\n",
    }
    always = (".github/copilot-instructions.md", ".github/instructions/all.instructions.md")
    assert paths(files, "Copilot") == [always]
    assert paths(files, "Copilot", always=False) == [(*always, ".github/instructions/py.instructions.md")]


def test_a_home_of_an_agent_is_loaded_whole_with_its_newest_notes() -> None:
    files = {f"home/{name}": "x\n" for name in ("AGENTS.md", "SOUL.md", "TOOLS.md", "MEMORY.md")}
    files |= {f"home/memory/2026-01-0{day}.md": "x\n" for day in (1, 2, 3)}
    base = ("home/AGENTS.md", "home/SOUL.md", "home/TOOLS.md", "home/MEMORY.md")
    assert paths(files, "OpenClaw", "home") == [base]
    notes = ("home/memory/2026-01-02.md", "home/memory/2026-01-03.md")
    assert paths(files, "OpenClaw", "home", always=False) == [(*base, *notes)]
    assert paths({"memory/MEMORY.md": "x\n", "SOUL.md": "x\n"}, "OpenClaw") == [("SOUL.md", "memory/MEMORY.md")]


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
