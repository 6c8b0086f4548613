"""Directories outside of the project in which documents run commands."""

from ctxkit.core.lint.document.workspace import RemovedPath
from ctxkit.core.lint.references.elsewhere import find_foreign_calls
from tests.core.lint.places import workspace

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
