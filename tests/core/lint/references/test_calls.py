"""Directories outside of the project in which documents run commands."""

import pytest

from ctxkit.core.lint.document.workspace import RemovedPath
from ctxkit.core.lint.references.calls import find_calls, find_foreign_calls
from tests.core.lint.places import workspace

NAMED = {
    "npm run build": [("npm", "build")],
    "$ npm run build && npm test": [("npm", "build"), ("npm", "test")],
    "pnpm --filter web run e2e": [("npm", "e2e")],
    "npm run build -w packages/web -- --watch": [("npm", "build")],
    "yarn workspace web run storybook": [("npm", "storybook")],
    "pnpm test:unit": [("npm", "test:unit")],
    "bun run src/cli.ts status": [],
    "pnpm install": [],
    "yarn eslint": [],
    "npm run <script>": [],
    "npm run test:*": [],
    "make -j4 docs STRICT=1": [("make", "docs")],
    "CI=1 make lint test": [("make", "lint"), ("make", "test")],
    "make sure that it works": [],
    "make test ARGS='-k slow or fast' V=\"a b\"": [("make", "test")],
    "make 'FLAGS=-O2 -g; x' docs": [("make", "docs")],
    "make -f build.mk image": [],
    "make --file=build.mk image": [],
    "echo 'npm run x' && make docs": [("make", "docs")],
    "make -C sub all": [("make", "all")],
    "just release patch": [("just", "release")],
    "uv run poe migrate --all": [("poe", "migrate")],
    "cargo build  # then make docs": [],
    "npx vitest --run": [],
    "cd web && npm run build": [("npm", "build")],
    "cd ~/projects/site && npm run build": [],
    "npm run lint; cd ../site && npm run build": [("npm", "lint")],
}


@pytest.mark.parametrize("line", NAMED)
def test_scripts_are_told_from_options_files_and_words(line: str) -> None:
    assert [(call.runner, call.name) for call in find_calls(line)] == NAMED[line]


@pytest.mark.parametrize("line", ["cd web && npm run x", "npm --prefix web run x", "make -C sub x", "pnpm -F web run x"])
def test_what_leads_elsewhere_is_known(line: str) -> None:
    assert [call.elsewhere for call in find_calls(line)] == [True]


def test_a_call_says_where_its_name_begins() -> None:
    line = "  npm run build && make docs"
    assert [line[call.start :].split()[0] for call in find_calls(line)] == ["build", "docs"]


FILES = {"package.json": "{}", "apps/web/package.json": "{}"}


def foreign(text: str, **listing: object) -> tuple[frozenset[str], frozenset[str]]:
    return find_foreign_calls(workspace({"AGENTS.md": text, **FILES}, **listing))


def test_a_document_that_runs_scripts_in_a_directory_that_is_not_there_is_about_another_project() -> None:
    expected = (frozenset({"AGENTS.md"}), frozenset({"check"}))
    assert foreign("- `cd Documentation/web && npm run check`\n") == expected
    assert foreign("- Run `npm run check` in `Documentation/web` first.\n") == expected
    assert foreign("```bash\ncd Documentation/web\nnpm run check\n```\n") == (frozenset({"AGENTS.md"}), frozenset())


def test_a_directory_of_the_project_or_of_its_past_is_none() -> None:
    nothing = (frozenset(), frozenset())
    assert foreign("- `cd apps/web && npm run check`\n") == nothing
    assert foreign("- Run `npm run check` in `web`, or from `packages`.\n") == nothing
    assert foreign("- Names in `Documentation/web` are short.\n") == nothing
    past = {"old/web": RemovedPath("aaaaaaa", "2026-01-03")}
    assert foreign("- `cd old/web && npm run check`\n", history=past.get) == nothing
