"""The table of hosts is complete."""

import re

import pytest

from ctxkit.core.lint.loading.hosts import HOSTS, find_tool, suggest_sharing


def sources():
    for host in HOSTS:
        yield from (files.source for files in host.files)
        yield from (limit.source for limit in host.limits)
        yield from filter(None, (host.hops_source,))


def test_each_fact_has_an_address_and_a_day() -> None:
    for source in sources():
        assert source.url.startswith("https://")
        assert re.fullmatch(r"2026-\d\d(?:-\d\d)?", source.read)


def test_names_and_settings_are_unique() -> None:
    settings = [limit.setting for host in HOSTS for limit in host.limits]
    assert len({*settings}) == len(settings)
    assert len({host.name for host in HOSTS}) == len(HOSTS)


def test_a_host_that_follows_imports_says_where_that_stands() -> None:
    assert all(bool(host.hops) == bool(host.hops_source) for host in HOSTS)


def test_files_that_are_never_looked_for_have_no_row() -> None:
    assert all(files.paths or files.extra for host in HOSTS for files in host.files)


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
