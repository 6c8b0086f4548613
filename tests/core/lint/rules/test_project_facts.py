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


@pytest.mark.parametrize(
    ("text", "lock", "is_wrong"),
    [
        ("Run `npm install`.\n", "pnpm-lock.yaml", True),
        ("```bash\nyarn build\nyarn test\n```\n", "package-lock.json", True),
        ("Use `poetry run pytest`.\n", "uv.lock", True),
        ("Use `uv run pytest`.\n", "poetry.lock", True),
        ("Run `npm install -g pnpm`.\n", "pnpm-lock.yaml", False),
        ("Run `npm audit fix`.\n", "pnpm-lock.yaml", True),
        ("Run `npm publish`.\n", "pnpm-lock.yaml", False),
        ("It is installed at first use via `npm install` into `<config>/native`.\n", "pnpm-lock.yaml", False),
        ("Run `npm install` in the root.\n", "pnpm-lock.yaml", True),
        ("Run `npm install left-pad`.\n", "pnpm-lock.yaml", False),
        ("Never `npm install`; use `pnpm install`.\n", "pnpm-lock.yaml", False),
        ("npm, yarn and pnpm differ: `npm install` is slow.\n", "pnpm-lock.yaml", False),
        ("## Forbidden\n\n`npm`/`yarn`, `as any`\n", "pnpm-lock.yaml", False),
        ("Run `npm install`.\n", "package-lock.json", False),
        ("Run `npm install`.\n", "README.md", False),
        ("Run `bun run x.ts`.\n", "pnpm-lock.yaml", False),
        ("```bash\nquiet npm install\n```\n", "pnpm-lock.yaml", False),
        ("```bash\n$ cd web && CI=1 npm install\n```\n", "pnpm-lock.yaml", True),
        ("```python\nnpm install\n```\n", "pnpm-lock.yaml", False),
    ],
)
def test_a_package_manager_without_its_lock_file_is_found(text: str, lock: str, is_wrong: bool) -> None:
    messages = [finding.message for finding in asked(project_facts, {"AGENTS.md": text, lock: ""})]
    assert bool(messages) is is_wrong
    assert all(lock in message for message in messages)


def test_the_lock_file_of_another_part_of_the_project_says_nothing() -> None:
    files = {"demo/CLAUDE.md": "`npm run dev`\n", "demo/package.json": "{}", "web/pnpm-lock.yaml": ""}
    assert not list(asked(project_facts, files))
    assert len(list(asked(project_facts, files | {"pnpm-lock.yaml": ""}))) == 1


def test_lock_files_below_the_package_of_a_document_are_those_of_others() -> None:
    files = {"AGENTS.md": "Run `npm run build`.\n", "plugin/bun.lock": ""}
    assert len(asked(project_facts, files)) == 1
    assert asked(project_facts, {**files, "package.json": "{}"}) == []


def test_the_manager_that_a_manifest_names_decides_beside_a_stale_lock_file() -> None:
    files = {"AGENTS.md": "Run `npm install`.\n", "pnpm-lock.yaml": "", "package-lock.json": ""}
    assert asked(project_facts, {**files, "package.json": "{}"}) == []
    (finding,) = asked(project_facts, {**files, "package.json": '{"packageManager": "pnpm@9.1.0"}'})
    assert finding.message == "runs npm, but the project has pnpm@9.1.0: pnpm"
    stale = {"AGENTS.md": "Run `npm install`.\n", "package-lock.json": "", "package.json": '{"packageManager": "pnpm@9.1.0"}'}
    assert asked(project_facts, stale) == []
    elsewhere = {"AGENTS.md": "Run `npm install`.\n", "web/package-lock.json": "", "package.json": '{"packageManager": "pnpm@9.1.0"}'}
    assert asked(project_facts, elsewhere) == []


def test_a_command_in_a_directory_of_another_repository_says_nothing_of_this_one() -> None:
    files = {"yarn.lock": "", "package.json": "{}", ".claude/rules/a.md": "- `cd Documentation/web && npm run check`\n- `npm run dev`\n"}
    files[".claude/rules/b.md"] = "- `npm run check` is green.\n"
    assert asked(project_facts, files) == []
    assert [finding.path for finding in asked(project_facts, files | {".claude/rules/b.md": "- Run `npm install`.\n"})] == [".claude/rules/b.md"]
