import pytest

from ctxkit.core.lint.references.calls import find_calls

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
