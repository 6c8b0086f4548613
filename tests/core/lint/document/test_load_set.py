"""The names of load sets."""

from ctxkit.core.lint.document.load_set import LoadSet


def test_a_name_says_agent_directory_and_trigger() -> None:
    assert LoadSet("Codex", "", ("AGENTS.md",)).name == "Codex"
    assert LoadSet("Codex", "web", ("AGENTS.md",)).name == "Codex in web"
    assert LoadSet("Claude Code", "web", (), always=False, trigger="skill x").name == "Claude Code in web with skill x"
