import pytest

from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.workspace import LoadSet
from ctxkit.core.lint.loading.assemble import (
    ProjectListing,
    WorkspaceOptions,
    assemble_workspace,
    find_installed_skills,
)
from tests.core.lint.places import words, workspace


def test_only_what_agents_load_is_read() -> None:
    made = workspace({"AGENTS.md": "@docs/a.md\n", "docs/a.md": "x\n", "docs/b.md": "y\n", "src/main.py": "z\n"})
    assert [document.path for document in made.documents] == ["AGENTS.md", "docs/a.md"]
    assert made.document("docs/a.md").role is FileRole.DOCS


def test_a_link_leads_to_its_file() -> None:
    made = workspace({"AGENTS.md": "# Hello\n"}, links={"CLAUDE.md": "AGENTS.md"})
    assert made.document("CLAUDE.md") is made.document("AGENTS.md")
    assert made.document("AGENTS.md").aliases == ("CLAUDE.md",)


def test_a_file_that_holds_a_path_is_a_link_that_a_checkout_wrote_as_text() -> None:
    made = workspace({"web/AGENTS.md": "# Hello\n", "web/CLAUDE.md": "AGENTS.md"})
    assert [document.path for document in made.documents] == ["web/AGENTS.md"]
    assert made.document("web/CLAUDE.md").path == "web/AGENTS.md"


def test_what_was_asked_for_is_read_whatever_its_name() -> None:
    made = workspace({"notes.txt": "- x\n"}, explicit_paths=["notes.txt"])
    assert [document.path for document in made.documents] == ["notes.txt"]


def test_directories_exist_too_and_scripts_are_known_where_they_are_mentioned() -> None:
    files = {"AGENTS.md": "Run npm test, make all, just go and poe lint.\n", "web/package.json": '{"scripts": {"test": "x"}}'}
    files |= {"Makefile": "all: a b\n\techo\n.PHONY: all\nX := 1\n", "justfile": "go target:\n  x\nalias g := go\nv := '1'\n"}
    files["pyproject.toml"] = "[tool.poe.tasks]\nlint = 'x'\n"
    project = workspace(files).project
    assert {"web", "web/package.json"} <= project.paths
    assert project.scripts == {
        ("npm", "web"): {"test"},
        ("make", ""): {"all"},
        ("just", ""): {"go", "g"},
        ("poe", ""): {"lint"},
    }
    assert workspace({**files, "AGENTS.md": "Nothing to run.\n"}).project.scripts == {}


def test_broken_manifests_know_nothing() -> None:
    made = workspace({"AGENTS.md": "npm and poe\n", "package.json": "{", "pyproject.toml": "= x", "web/package.json": "[]"})
    assert set(map(frozenset, made.project.scripts.values())) == {frozenset()}


def test_settings_add_load_sets_and_their_files() -> None:
    data = {"AGENTS.md": b"# A\n", "docs/rules.md": b"# B\n"}
    extra = LoadSet("Mine", "", ("AGENTS.md", "docs/rules.md"))
    made = assemble_workspace(ProjectListing(sorted(data)), data.get, words, WorkspaceOptions(load_sets=(extra,)))
    assert made.load_sets[-1] == extra
    assert made.document("docs/rules.md")


def test_bytes_that_are_no_text_can_be_counted() -> None:
    def strict(text):
        return len(text.encode())

    data = {"AGENTS.md": b"- bad \xff byte here\n"}
    made = assemble_workspace(ProjectListing(sorted(data)), data.get, strict)
    assert made.tokens(made.documents[0].text) == len("- bad ? byte here\n")


PATHS = (
    "skills-lock.json", ".agents/skills/react/SKILL.md", ".claude/skills/react/SKILL.md", ".claude/skills/own/SKILL.md",
    ".claude/skills/react.md", "web/skills-lock.json", "web/.claude/skills/charts/SKILL.md", ".claude/skills/charts/SKILL.md",
)  # fmt: skip
LOCKS = {
    "skills-lock.json": b'{"version": 1, "skills": {"react": {"source": "vercel-labs/agent-skills"}}}',
    "web/skills-lock.json": b'{"version": 1, "skills": {"charts": {}}}',
}


def test_skills_of_a_lock_file_are_installed_in_each_directory_of_skills_below_it() -> None:
    assert find_installed_skills(PATHS, LOCKS.get) == {".agents/skills/react", ".claude/skills/react", "web/.claude/skills/charts"}


@pytest.mark.parametrize("lock", [b"", b"[]", b"{", b'{"skills": ["react"]}', b"\xff", b"[" * 100_000, None])
def test_a_lock_file_that_lists_nothing_installs_nothing(lock: bytes | None) -> None:
    assert find_installed_skills(PATHS[:2], lambda _path: lock) == frozenset()
