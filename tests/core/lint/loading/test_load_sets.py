"""The settings of a project name files that hosts read."""

import pytest

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.roles import role_of
from ctxkit.core.lint.loading.hosts import HOSTS
from ctxkit.core.lint.loading.load_sets import (
    DocumentTree,
    HostSettings,
    ancestors,
    find_home,
    find_load_sets,
    join_path,
    read_host_settings,
)
from tests.core.lint.places import workspace


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


def paths_persona_sets(files: dict[str, str], agent: str, directory: str = "", always: bool = True) -> list[tuple[str, ...]]:
    found = workspace(files).load_sets
    return [one.paths for one in found if (one.agent, one.directory, one.always) == (agent, directory, always)]


def test_a_home_of_an_agent_is_loaded_whole_with_its_newest_notes() -> None:
    files = {f"home/{name}": "x\n" for name in ("AGENTS.md", "SOUL.md", "TOOLS.md", "MEMORY.md")}
    files |= {f"home/memory/2026-01-0{day}.md": "x\n" for day in (1, 2, 3)}
    base = ("home/AGENTS.md", "home/SOUL.md", "home/TOOLS.md", "home/MEMORY.md")
    assert paths_persona_sets(files, "OpenClaw", "home") == [base]
    notes = ("home/memory/2026-01-02.md", "home/memory/2026-01-03.md")
    assert paths_persona_sets(files, "OpenClaw", "home", always=False) == [(*base, *notes)]
    assert paths_persona_sets({"memory/MEMORY.md": "x\n", "SOUL.md": "x\n"}, "OpenClaw") == [("SOUL.md", "memory/MEMORY.md")]


def test_a_memory_beside_instructions_is_that_of_any_assistant() -> None:
    files = {"AGENTS.md": "x\n", "MEMORY.md": "x\n", "docs/MEMORY.md": "x\n"}
    assert paths_persona_sets(files, "OpenClaw") == []
    assert paths_persona_sets(files, "an assistant with a memory") == [("AGENTS.md", "MEMORY.md")]
    assert paths_persona_sets(files, "an assistant with a memory", "docs") == []
    assert paths_persona_sets({"AGENTS.md": "x\n", "memory/MEMORY.md": "x\n"}, "an assistant with a memory") == [
        ("AGENTS.md", "memory/MEMORY.md")
    ]


def test_instructions_may_name_persona_files() -> None:
    files = {"CLAUDE.md": "Read SOUL.md first.\n", "SOUL.md": "x\n"}
    assert paths_persona_sets(files, "Claude Code", always=False) == [("CLAUDE.md", "SOUL.md")]


def read(files: dict[str, bytes]) -> HostSettings:
    return read_host_settings(files, files.get)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        (b'{"context": {"fileName": ["AGENTS.md", "RULES.md"]}}', ("AGENTS.md", "RULES.md")),
        (b'{"context": {"fileName": "AGENTS.md"}}', ("AGENTS.md",)),
        (b'// mine\n{"contextFileName": "HOUSE.md",}', ("HOUSE.md",)),
        (b'{/* one */\n  // two\n"contextFileName": /**/ "A.md"}', ("A.md",)),
        (b'{"contextFileName": "../A.md"}', ("GEMINI.md",)),
        (b'{"context": []}', ("GEMINI.md",)),
        (b"[" * 100_000, ("GEMINI.md",)),
        (b"[]", ("GEMINI.md",)),
    ],
)
def test_gemini_reads_the_names_of_its_settings(settings: bytes, names: tuple[str, ...]) -> None:
    assert read({".gemini/settings.json": settings}).gemini_names == names
    assert read({}).gemini_names == ("GEMINI.md",)


@pytest.mark.parametrize(
    ("settings", "names", "limit"),
    [
        (b'project_doc_fallback_filenames = ["TEAM.md", 3, "a/b.md"]\nproject_doc_max_bytes = 65536\n', ("TEAM.md",), 65_536),
        (b"project_doc_max_bytes = true\n", (), 0),
        (b"= x", (), 0),
    ],
)
def test_codex_reads_names_and_a_limit(settings: bytes, names: tuple[str, ...], limit: int) -> None:
    found = read({".codex/config.toml": settings})
    assert (found.codex_names, found.codex_bytes) == (names, limit)


def test_opencode_reads_paths_and_patterns_inside_the_project() -> None:
    settings = b'{"instructions": ["./docs/b.md", "docs/*.md", "https://x/y.md", "../z.md", "~/q.md", "gone.md", 3]}'
    files = {"opencode.json": settings, "docs/a.md": b"", "docs/b.md": b"", "src/docs/c.md": b""}
    assert read(files).opencode_files == ("docs/b.md", "docs/a.md")


def test_hosts_load_what_their_settings_name() -> None:
    files = {
        ".gemini/settings.json": '{"context": {"fileName": "HOUSE.md"}}',
        ".codex/config.toml": 'project_doc_fallback_filenames = ["HOUSE.md"]',
        "opencode.jsonc": '{"instructions": ["docs/*.txt"]}',
        "docs/rules.txt": "z\n",
        "HOUSE.md": "x\n",
        "web/HOUSE.md": "y\n",
    }
    found = {(one.agent, one.directory): one.paths for one in workspace(files).load_sets}
    assert found == {
        ("Gemini CLI", ""): ("HOUSE.md",),
        ("Gemini CLI", "web"): ("HOUSE.md", "web/HOUSE.md"),
        ("Codex", ""): ("HOUSE.md",),
        ("Codex", "web"): ("HOUSE.md", "web/HOUSE.md"),
        ("opencode 1", ""): ("docs/rules.txt",),
    }


def tree(*paths):
    return DocumentTree([parse_document(path, b"x\n") for path in paths])


def test_what_is_inside_a_directory() -> None:
    found = tree("a/b.md", "a/c/d.md", "ab/e.md", "a.md")
    assert found.files_inside("a") == ["a/b.md", "a/c/d.md"]
    assert found.files_inside("z") == []


def test_paths_from_the_root_down() -> None:
    assert ancestors("a/b") == ["", "a", "a/b"]
    assert ancestors("") == [""]
    assert (join_path("", "x"), join_path("a", "x")) == ("x", "a/x")


def test_no_file_is_named_twice() -> None:
    assert tree("a.md", "b.md").paths(["b.md", "a.md", "b.md", "c.md"]) == ("b.md", "a.md")
