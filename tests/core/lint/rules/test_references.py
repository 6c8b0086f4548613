import pytest

from ctxkit.core.lint.document.rule import ERROR, INFO, WARNING
from ctxkit.core.lint.document.workspace import RemovedPath
from ctxkit.core.lint.rules import references
from tests.core.lint.asked import asked, mended
from tests.core.lint.places import workspace

PASTS = {
    "src/old.py": RemovedPath("3f2a91c", "2026-01-02", "src/new.py"), "src/gone.py": RemovedPath("aaaaaaa", "2026-01-03"),
    "lib": RemovedPath("bbbbbbb", "2026-01-04"), "docs/guide/a.md": RemovedPath("ccccccc", "2026-01-05", "docs/guide/b.md"),
    "dist/app.js": RemovedPath("ddddddd", "2026-01-06"), "setup.py": RemovedPath("eeeeeee", "2026-01-07"), "lib/core": RemovedPath("fffffff", "x"),
}  # fmt: skip
THERE = {"src/new.py": "x", "docs/guide/b.md": "x"}


def told(text, path="AGENTS.md", **more):
    found = asked(references, {path: f"{text}\n", **THERE}, history=PASTS.get, **more)
    return [(one.code, one.severity) for one in found]


@pytest.mark.parametrize("text", ["- The parser is in `src/old.py`.", "| `src/gone.py` | the entry |", "Read `src/gone.py:12` first.",
                                  "- Never edit `src/gone.py` by hand.", "- Code is in `lib/core/`."])  # fmt: skip
def test_a_path_that_the_history_knows_is_stale(text: str) -> None:
    assert told(text) == [("REF001", ERROR)]


@pytest.mark.parametrize(
    "text",
    [
        "- The parser is in `src/new.py`.", "- `src/gone.py` was removed.", "- Write the report to `src/gone.py`.",
        "- If it exists, read `src/gone.py`.", "- Do not bring back `src/gone.py`.", "- ~~`src/gone.py`~~", "```\nsrc/gone.py\n```",
        "- A src/gone.py without backticks", "- Bundles are in `dist/app.js`.", "- Never add a `setup.py`.", "- `src/old.py` → `src/new.py`",
        "## Changelog\n\n- Parser in `src/gone.py`.", "- Such as `src/gone.py`, e.g.", "- yes/no and `and/or`", "- `feature/x` is a branch",
    ],
)  # fmt: skip
def test_what_is_there_or_known_to_be_gone_is_none(text: str) -> None:
    assert told(text) == []


def test_a_path_that_never_was_is_for_information_where_its_directory_is() -> None:
    assert told("- See `src/desing.md`.") == [("REF002", INFO)]
    assert told("- See `other/desing.md`.") == []


def test_what_git_ignores_and_documents_of_another_time_are_left_alone() -> None:
    assert told("- See `src/gone.py`.", is_ignored=lambda path: path.startswith("src/gone")) == []
    assert told("- See `src/gone.py`.", "docs/archive/AGENTS.md") == []
    assert told("- See `src/gone.py`.", "MEMORY.md") == [("REF001", WARNING)]


def test_the_new_path_is_written_in_place_of_the_old_one() -> None:
    space = {"docs/guide/AGENTS.md": "See `./a.md` and `src/old.py`.\n", **THERE}
    found = list(references.findings(workspace(space, history=PASTS.get)))
    assert [one.fix.edits[0].replacement for one in found if one.fix] == ["./b.md", "src/new.py"]
    assert mended(references, "AGENTS.md", "See `src/new.py`.\n") == "See `src/new.py`.\n"


@pytest.mark.parametrize(("place", "codes"), [("tour.md", []), ("skills/pr/tour.md", ["REF001"])])
def test_a_bare_name_is_meant_beside_the_file_that_names_it(place: str, codes) -> None:
    files = {"skills/pr/SKILL.md": "The tour is `tour.md`.\n", **THERE}
    found = asked(references, files, history={place: RemovedPath("3f2a91c", "2026-02-16")}.get)
    assert [one.code for one in found] == codes
