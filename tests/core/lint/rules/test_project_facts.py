"""Versions and package managers are compared with the manifests of the project."""

import json

import pytest

from ctxkit.core.lint.rules import project_facts
from tests.core.lint.asked import asked

PACKAGE = json.dumps(
    {"engines": {"node": ">=20.9"}, "dependencies": {"next": "^16.2.2", "react": "19.1.0"}, "devDependencies": {"zod": "3 || 4"}}
)
PYTHON = '[project]\nrequires-python = ">=3.11"\ndependencies = ["pydantic[email]>=2,<3", "django>=4.2"]\n'


def with_manifests(text: str, path: str = "AGENTS.md") -> list[str]:
    files = {path: text, "package.json": PACKAGE, "pyproject.toml": PYTHON, "go.mod": "module x\n\ngo 1.23\n", ".nvmrc": "v22\n"}
    return [finding.message for finding in asked(project_facts, files)]


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        ("- **Next.js 15** with the App Router", "Next.js 15"),
        ("Stack: React 18, Tailwind 3", "React 18"),
        ("- Python 3.9+ is required", "Python 3.9+"),
        ("Needs Python >= 3.8", "Python >= 3.8"),
        ("| Runtime | Go 1.21 |", "Go 1.21"),
        ("We use Pydantic v1 models.", "Pydantic 1"),
        ("Node.js 18", "Node.js 18"),
        ("```\nweb/   # Next.js 15 frontend\n```", "Next.js 15"),
    ],
)
def test_a_version_that_every_manifest_contradicts_is_found(line: str, stated: str) -> None:
    (message,) = with_manifests(f"# Stack\n\n{line}\n")
    assert message.startswith(f"states {stated}, but ")


@pytest.mark.parametrize(
    "line",
    [
        "Next.js 16 with the App Router", "Next.js 16.1", "React 19+", "React 18/19", "React 18 or 19", "Python 3.12",
        "Python 3.11+", "Go 1.24", "Pydantic v2", "Django 5.2", "Zod 3", "Vue 2", "components/  # React (44 of them)", "Next 5 steps", "Node.js 22", "Node.js 20+",
        "Upgrade from React 18 to 19", "Do not use React 18 patterns", "a timer (Go 1.20+ resets it)", "react-18.md",
        "`React 18`s changelog is at https://example.org/React 18/",
    ],
)  # fmt: skip
def test_a_version_that_a_manifest_allows_or_a_line_about_another_one_is_none(line: str) -> None:
    assert with_manifests(f"# Stack\n\n{line}\n") == []


def test_the_places_that_state_one_version_are_one_finding() -> None:
    (finding,) = asked(project_facts, {"AGENTS.md": "- React 18\n- Next.js 16\n\n# Stack\n\n- React 18.2\n- React 18\n", "package.json": PACKAGE})[:1]
    assert (finding.line, [(place.path, place.line) for place in finding.related]) == (1, [("package.json", 1), ("AGENTS.md", 7)])


def test_a_line_that_also_names_the_version_in_use_tells_of_the_other_one() -> None:
    assert with_manifests("- `use()` in effects is a React 18 pattern, we use React 19\n") == []
    assert with_manifests("- Next.js 15 with React 19\n") != []


def test_a_longer_name_of_another_package_is_none() -> None:
    package = json.dumps({"dependencies": {"react": "^18.3.1", "lucide-react": "^0.344.0", "@tanstack/react": "5.1.0"}})
    assert asked(project_facts, {"AGENTS.md": "- **Lucide React 0.344.0**: icons\n", "package.json": package}) == []
    assert asked(project_facts, {"AGENTS.md": "- TanStack React 5\n", "package.json": package}) == []
    (finding,) = asked(project_facts, {"AGENTS.md": "- **Modern React 17**\n", "package.json": package})
    assert finding.message == "states React 17, but package.json has react ^18.3.1"


def test_the_manifest_nearest_to_the_root_is_named() -> None:
    files = {"AGENTS.md": "Go 1.21\n", "go.mod": "module x\n\ngo 1.23\n", "a/go.mod": "module x\n\ngo 1.23\n"}
    (finding,) = asked(project_facts, files)
    assert finding.message == "states Go 1.21, but go.mod has go 1.23"


def test_a_rule_for_some_files_states_no_version_of_the_project() -> None:
    assert with_manifests("---\nglobs: '*.ts'\n---\n\nReact 18\n", ".cursor/rules/a.mdc") == []


def test_one_manifest_that_agrees_is_enough() -> None:
    other = json.dumps({"dependencies": {"next": "15.1.0"}})
    files = {"AGENTS.md": "Next.js 15\n", "package.json": PACKAGE, "docs/package.json": other}
    assert not list(asked(project_facts, files))
    files["docs/package.json"] = "{"
    assert len(list(asked(project_facts, files))) == 1


@pytest.mark.parametrize(
    ("line", "is_wrong"),
    [
        ("- **Testing:** Mocha + Chai", True), ("| Tests | Jest 29 |", True), ("Test runner: Jasmine", True),
        ("- **Testing:** Vitest", False), ("- **Testing:** Vitest, not Jest", False), ("Testing: Jest and Playwright", False),
        ("Testing: see docs", False), ("We test with Mocha.", False), ("Testing: migrated from Mocha", False),
    ],
)  # fmt: skip
def test_a_stated_test_runner_that_no_manifest_has_is_found(line: str, is_wrong: bool) -> None:
    files = {"AGENTS.md": f"# Stack\n\n{line}\n", "package.json": json.dumps({"devDependencies": {"vitest": "^1.3.0"}})}
    assert [finding.code for finding in asked(project_facts, files)] == ["REF006"] * is_wrong
    assert asked(project_facts, {**files, "package.json": "{}"}) == []


@pytest.mark.parametrize(
    ("line", "stated"),
    [
        ("**Current Version**: 2.9.0 (Cargo.toml) | 2.6.0 (package.json)", "the version 2.9.0"),
        ("- Current version: v2.6.0", "the version 2.6.0"),
        ("- Current version: 1.0.5", ""),
        ("- Current version of Node: 2.6.0", ""),
        ("**Version**: 2.6.0", ""),
        ("The current version is 2.6", ""),
    ],
)
def test_the_version_of_the_project_itself_is_that_of_a_manifest(line: str, stated: str) -> None:
    files = {"AGENTS.md": f"{line}\n", "package.json": '{"version": "1.0.5"}', "src-tauri/Cargo.toml": '[package]\nversion = "1.0.5"\n'}
    messages = [finding.message for finding in asked(project_facts, files)]
    assert messages == ([f"states {stated}, but package.json has the version 1.0.5"] if stated else [])
    assert asked(project_facts, files | {"web/package.json": '{"version": "2.9.0"}', "AGENTS.md": "Current version: 2.9.0\n"}) == []
    assert asked(project_facts, files | {"web/package.json": '{"version": "0.0.0-dev"}'}) == []
