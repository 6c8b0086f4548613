"""A workspace finds its documents by path and by link."""

from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.workspace import LoadSet, ProjectInfo, Workspace, is_never_ignored, no_history

AGENTS = parse_document("AGENTS.md", b"- a\n")._replace(aliases=("CLAUDE.md",))
README = parse_document("README.md", b"# a\n")
PROMPT = parse_document("prompt.txt", b"Be kind.\n")


def test_a_document_is_found_by_its_path_and_by_a_link_to_it() -> None:
    workspace = Workspace((AGENTS,), sources=(README,), prompt=PROMPT)
    assert workspace.document("AGENTS.md") is workspace.document("CLAUDE.md") is AGENTS
    assert workspace.document("README.md") is README
    assert workspace.document("other.md") is None
    assert workspace.all_documents == [AGENTS, README, PROMPT]


def test_without_version_control_nothing_is_known() -> None:
    info = ProjectInfo()
    assert (info.is_ignored, info.history) == (is_never_ignored, no_history)
    assert not is_never_ignored("a")
    assert no_history("a") is None


def test_a_name_says_agent_directory_and_trigger() -> None:
    assert LoadSet("Codex", "", ("AGENTS.md",)).name == "Codex"
    assert LoadSet("Codex", "web", ("AGENTS.md",)).name == "Codex in web"
    assert LoadSet("Claude Code", "web", (), always=False, trigger="skill x").name == "Claude Code in web with skill x"
