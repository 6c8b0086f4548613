from tests.core.lint.places import workspace


def paths(files: dict[str, str], agent: str, directory: str = "", always: bool = True) -> list[tuple[str, ...]]:
    found = workspace(files).load_sets
    return [one.paths for one in found if (one.agent, one.directory, one.always) == (agent, directory, always)]


def test_a_home_of_an_agent_is_loaded_whole_with_its_newest_notes() -> None:
    files = {f"home/{name}": "x\n" for name in ("AGENTS.md", "SOUL.md", "TOOLS.md", "MEMORY.md")}
    files |= {f"home/memory/2026-01-0{day}.md": "x\n" for day in (1, 2, 3)}
    base = ("home/AGENTS.md", "home/SOUL.md", "home/TOOLS.md", "home/MEMORY.md")
    assert paths(files, "OpenClaw", "home") == [base]
    notes = ("home/memory/2026-01-02.md", "home/memory/2026-01-03.md")
    assert paths(files, "OpenClaw", "home", always=False) == [(*base, *notes)]
    assert paths({"memory/MEMORY.md": "x\n", "SOUL.md": "x\n"}, "OpenClaw") == [("SOUL.md", "memory/MEMORY.md")]


def test_a_memory_beside_instructions_is_that_of_any_assistant() -> None:
    files = {"AGENTS.md": "x\n", "MEMORY.md": "x\n", "docs/MEMORY.md": "x\n"}
    assert paths(files, "OpenClaw") == []
    assert paths(files, "an assistant with a memory") == [("AGENTS.md", "MEMORY.md")]
    assert paths(files, "an assistant with a memory", "docs") == []
    assert paths({"AGENTS.md": "x\n", "memory/MEMORY.md": "x\n"}, "an assistant with a memory") == [
        ("AGENTS.md", "memory/MEMORY.md")
    ]


def test_instructions_may_name_persona_files() -> None:
    files = {"CLAUDE.md": "Read SOUL.md first.\n", "SOUL.md": "x\n"}
    assert paths(files, "Claude Code", always=False) == [("CLAUDE.md", "SOUL.md")]
