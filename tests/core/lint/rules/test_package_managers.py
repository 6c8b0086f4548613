"""Commands of package managers are compared with the lock files of the project."""

import pytest

from ctxkit.core.lint.rules import project_facts
from tests.core.lint.asked import asked


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
