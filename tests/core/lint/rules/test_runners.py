import pytest

from ctxkit.core.lint.rules import runners
from tests.core.lint.asked import asked, codes

FILES = {
    "package.json": '{"scripts": {"build": "x", "test:unit": "x"}, "devDependencies": {"eslint": "9"}}',
    "Makefile": "check:\n\ttrue\ntest-%:\n\ttrue\n", "justfile": "bench:\n  true\n", "pyproject.toml": "[tool.poe.tasks]\nserve = 'x'\n",
}  # fmt: skip


def missing(text, path="AGENTS.md", **more):
    return [code for code, _ in codes(runners, {path: f"{text}\n", **FILES, **more})]


@pytest.mark.parametrize("call", ["npm run lint", "make docs", "just nightly", "poe migrate", "pnpm run preview", "yarn test:e2e", "npm test", "pnpm lint", "yarn typecheck", "bun dev"])
def test_a_script_that_no_file_defines_is_told_of(call: str) -> None:
    assert missing(f"- Run `{call}` first.") == ["REF003"]
    assert missing(f"```bash\n$ {call}\n```") == ["REF003"]


@pytest.mark.parametrize(
    "text",
    [
        "- `npm run build`, `make check`, `just bench`, `poe serve`", "- `make test-3.12`", "- `npm run docs` is no longer there",
        "- `yarn eslint`, `yarn run eslint`", "- `npm install`", "- `pnpm eslint`, `pnpm add x`, `yarn build`, `bun test`, `bun build x.ts`, `pnpm vitest`", "- `npm run <name>`", "- Never `npm run eject`",
        "```python\nnpm run x\n```", "- npm run x without backticks", "- from `/srv/app`: `make deploy`", "- `cd [path] && npm run x`", "<c>`npm run x`</c>",
        "- `make build/test/lint`", "- Plays used to be a layer of their own (`npm run playtest`).",
    ],
)  # fmt: skip
def test_what_is_there_or_meant_otherwise_is_none(text: str) -> None:
    assert missing(text) == []


def test_a_makefile_that_includes_others_may_have_any() -> None:
    assert missing("- `make docs`", Makefile="include x.mk\n") == []


def test_a_submodule_may_define_a_script() -> None:
    files = {"AGENTS.md": "Run `npm run keys` in server/.\n", "package.json": '{"scripts": {"test": "x"}}'}
    assert [finding.code for finding in asked(runners, files)] == ["REF003"]
    assert asked(runners, {**files, ".gitmodules": '[submodule "server"]\n\tpath = server\n'}) == []


def test_a_script_of_any_package_is_there() -> None:
    assert missing("- `npm run e2e -w web`", **{"web/package.json": '{"scripts": {"e2e": "x"}}'}) == []


def test_a_skill_that_names_none_of_the_projects_own_scripts_is_about_another() -> None:
    assert missing("- `npm run typecheck && npm test`", ".claude/skills/x/SKILL.md") == []
    assert missing("- `make check docs`\n- `make test-1`", ".claude/skills/x/SKILL.md") == ["REF003"]
    assert missing("- `npm run lint`", "MEMORY.md") == []


def test_an_agent_may_name_scripts_of_any_project() -> None:
    files = {"package.json": '{"scripts": {"test": "x", "db:push": "x"}}', ".claude/agents/css.md": "`npm run build:css`\n"}
    assert codes(runners, files) == []
    files[".claude/agents/css.md"] += "`npm run db:push`\n"
    assert codes(runners, files) == []
    files[".claude/agents/css.md"] += "`npm run db:seed`\n"
    files["package.json"] = '{"scripts": {"db:push": "x", "db:seed": "x"}}'
    assert codes(runners, files) == [("REF003", 1)]


def test_a_script_of_a_directory_in_another_repository_is_none() -> None:
    files = {"package.json": '{"scripts": {"test": "x"}}', ".claude/rules/a.md": "- Run `npm run check` in `Documentation/web`.\n"}
    files[".claude/rules/b.md"] = "- `npm run check` is green.\n"
    assert asked(runners, files) == []
    assert [finding.path for finding in asked(runners, files | {"Documentation/web/a.md": "x"})] == [".claude/rules/a.md", ".claude/rules/b.md"]
