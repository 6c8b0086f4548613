import pytest

from ctxkit.core.lint.document.rule import ERROR, INFO, WARNING
from ctxkit.core.lint.document.workspace import RemovedPath
from ctxkit.core.lint.fixes.apply_fixes import apply_edits
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
        "- Tests are in `src/new.py`, **not** `src/gone.py`.", "- Not in `src/gone.py` or `src/old.py`.", "- See [`src/gone.py`](src/new.py).", "- See [the parser, `src/gone.py`](src/new.py).",
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


@pytest.mark.parametrize(
    "text",
    [
        "- If `src/gone.py` exists, read it.", "- Read `src/gone.py` first, if it is present.", "- 如果存在 `src/gone.py`，先阅读。",
        "- Falls `src/gone.py` existiert, lies es.", "- Lee `src/gone.py` si existe.", "- `src/gone.py` が存在する場合は読む。",
    ],
)  # fmt: skip
def test_a_path_that_is_read_if_it_exists_may_be_missing(text: str) -> None:
    assert told(text) == []


def test_what_another_clause_says_is_no_excuse() -> None:
    assert told("- The observer writes notes to memory; see `src/gone.py`.") == [("REF001", ERROR)]
    assert told("- The observer writes its notes to `src/gone.py`.") == []


def test_an_unknown_path_is_an_error_if_a_file_of_its_name_stands_elsewhere() -> None:
    assert told("- See `src/parser.py`.") == [("REF002", INFO)]
    place = {"AGENTS.md": "- See `src/parser.py`.\n", "src/new.py": "x", "lib/text/parser.py": "x"}
    (finding,) = asked(references, place)
    assert (finding.code, finding.severity) == ("REF002", ERROR)
    assert finding.message == "`src/parser.py` does not exist; there is lib/text/parser.py"
    many = {f"lib/{name}/parser.py": "x" for name in "abc"}
    assert [finding.severity for finding in asked(references, {**place, **many})] == [INFO]


def test_the_file_of_an_unknown_path_is_looked_for_in_the_package_that_the_path_names() -> None:
    places = {"web/src/api/api.js": "x", "app/src/api/api.js": "x", "web/package.json": "{}", "app/package.json": "{}", "src/x.py": "x"}
    found = asked(references, {"AGENTS.md": "- `web/api.js` and `app/api.js`, `src/api.js`\n", **places})
    assert [finding.message for finding in found] == [
        "`web/api.js` does not exist; there is web/src/api/api.js", "`app/api.js` does not exist; there is app/src/api/api.js",
        "`src/api.js` does not exist",
    ]  # fmt: skip
    near = {"AGENTS.md": "- See `lib/text/a.py`.\n", "lib/b/text/a.py": "x", "lib/c/a.py": "x", "doc/a.py": "x"}
    assert [finding.message for finding in asked(references, near)] == ["`lib/text/a.py` does not exist; there is lib/b/text/a.py"]


@pytest.mark.parametrize(("text", "count"), [("- Read `src/gone.py`.\n", 1), ("- Read `src/new.py`.\n", 0), ("- `src/gone.py` was removed.\n", 0)])
def test_a_missing_history_is_said_where_a_path_depends_on_it(text: str, count: int) -> None:
    said: list[str] = []
    place = workspace({"AGENTS.md": text, **THERE}, history_problem=lambda: "the clone is shallow")._replace(notice=said.append)
    assert len(list(references.findings(place))) == count
    assert said == ["the clone is shallow: paths that were removed are reported as unknown ones (REF002), or not at all"] * count


def test_what_tools_keep_in_hidden_directories_is_not_unknown() -> None:
    files = {"AGENTS.md": "- State is in `.squad/state.json`.\n", ".squad/other.json": "x"}
    assert asked(references, files) == []
    (finding,) = asked(references, {**files, "AGENTS.md": "- See `.squad/gone.md`.\n"}, history={".squad/gone.md": PASTS["src/gone.py"]}.get)
    assert finding.code == "REF001"


def test_a_skill_names_files_of_the_projects_that_it_works_on() -> None:
    files = {".claude/skills/x/SKILL.md": "- Read `src/plan.md` first.\n", "src/new.py": "x"}
    assert asked(references, files) == []
    assert [finding.code for finding in asked(references, {**files, "CLAUDE.md": "- Read `src/plan.md` first.\n"})] == ["REF002"]


def test_a_skill_that_no_host_loads_here_speaks_of_other_projects() -> None:
    files = {"plugins/a/skills/x/SKILL.md": "- Read `src/gone.py`, `context/parser.py` and `src/new.py`.\n", "context/a.md": "x"}
    there = {"plugins/a/skills/x/parser.py": "x", **THERE}
    assert asked(references, {**files, **there}, history=PASTS.get) == []
    loaded = {path.replace("plugins/a", ".claude"): text for path, text in files.items()}
    found = asked(references, {**loaded, ".claude/skills/x/parser.py": "x", **THERE}, history=PASTS.get)
    assert [finding.code for finding in found] == ["REF001", "REF002"]
    renamed = {"plugins/a/skills/x/SKILL.md": "- Read `src/old.py`.\n", **THERE}
    assert [finding.code for finding in asked(references, renamed, history=PASTS.get)] == ["REF001"]
    own = {"plugins/a/skills/x/references/a.md": RemovedPath("3f2a91c", "2026-02-16")}
    (finding,) = asked(references, {"plugins/a/skills/x/SKILL.md": "Read `references/a.md`.\n", **THERE}, history=own.get)
    assert finding.code == "REF001"


@pytest.mark.parametrize(
    "text",
    [
        "**Removed in v2.1.0, do not reference:**\n- `personas/` directory\n- hooks: `src/gone.py` and `src/lost.py`",
        "No longer in the repository:\n\n1. The entry\n   `src/gone.py` and `src/lost.py`", "- Hooks (`src/gone.py`, `src/lost.py`): scrubbed",
        "✅ **CORRECT**:\n- `src/lost.py`\n- `src/gone.py` (from the root)", "Examples:\n\n- `src/lost.py`", "## Examples\n\n- Read `src/gone.py`.",
        "| Pattern | Example |\n|---|---|\n| `src/*.py` | `src/lost.py` |\n| `*.py` | `src/gone.py` |", "| Guide | UIA package: `src/lost.md` |", "- `src/lost.py` のような誤り",
    ],
)  # fmt: skip
def test_a_list_of_what_is_gone_or_of_examples_says_so_in_the_line_above_it(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize("text", ["Read these files:\n- `src/gone.py`", "**Example: the feature of plans touched**:\n- `src/gone.py`", "The old parser was slow.\n\n- `src/gone.py`", "| File | Purpose |\n|---|---|\n| `src/gone.py` | examples |", "## Examples of rules\n\n- `src/gone.py`", "Removed:\n- x\n\nRead `src/gone.py`."])
def test_a_line_above_that_says_something_else_is_no_excuse(text: str) -> None:
    assert told(text) == [("REF001", ERROR)]


def test_a_path_of_an_example_may_be_absent() -> None:
    assert asked(references, {"AGENTS.md": "- Example: For `src/tests/user.test.ts`, run it below src.\n", "src/a.ts": "x"}) == []


@pytest.mark.parametrize("text", ["- Read `src/day-NN-name/a.md`.", "- Notes of a sprint: `src/sprint-N.md`", "- `src/v1.X.md` has it."])
def test_a_path_with_a_placeholder_for_a_number_is_a_pattern(text: str) -> None:
    assert told(text) == []
    assert told("- Read `src/nn/a.md`.") == [("REF002", INFO)]


def test_the_places_that_name_one_path_are_one_finding() -> None:
    (finding,) = asked(references, {"AGENTS.md": "See `src/old.py`.\n\nRun `src/old.py`.\n", **THERE}, history=PASTS.get)
    assert (finding.line, [place.line for place in finding.related]) == (1, [3])
    assert mended_all("See `src/old.py`.\n\nRun `src/old.py`.\n") == "See `src/new.py`.\n\nRun `src/new.py`.\n"


def mended_all(text: str) -> str:
    found = asked(references, {"AGENTS.md": text, **THERE}, history=PASTS.get)
    return apply_edits(text, [edit for one in found if one.fix for edit in one.fix.edits])


@pytest.mark.parametrize(("place", "is_named"), [("skills/b/references/guide.md", False), ("skills/a/references/guide.md", True)])
def test_a_file_of_another_skill_is_not_what_a_skill_means(place: str, is_named: bool) -> None:
    files = {"skills/a/SKILL.md": "- See `skills/a/docs/guide.md`.\n", place: "x", "skills/c.md": "x"}
    assert [finding.code for finding in asked(references, files)] == ["REF002"] * is_named


def test_a_hidden_directory_is_there() -> None:
    gone = {".github": RemovedPath("3f2a91c", "2026-06-16"), ".husky": RemovedPath("3f2a91c", "2026-06-16")}
    files = {"AGENTS.md": "- `./.github` - workflows\n- `./.husky` - hooks\n", ".github/a.yml": "x"}
    assert [finding.line for finding in asked(references, files, history=gone.get)] == [2]


def named_ends(paths):
    """Return a function that returns the paths with a file name."""
    return lambda name: sorted(path for path in paths if path.rsplit("/", 1)[-1].lower() == name.lower())


def gone_by_end(text: str, path: str = "AGENTS.md", pasts=("web/src/bridge/old-bridge.js", "web/src/bridge")):
    history = dict.fromkeys(pasts, RemovedPath("3f2a91c", "2026-02-16"))
    found = asked(references, {path: text, **THERE}, history=history.get, removed_named=named_ends(pasts))
    return [(finding.code, finding.line) for finding in found]


def test_a_removed_path_may_be_named_by_its_end() -> None:
    assert gone_by_end("See `bridge/old-bridge.js`, in `src/bridge/`.\n") == [("REF001", 1), ("REF001", 1)]
    assert gone_by_end("- Auth goes through `old-bridge.js`.\n") == [("REF001", 1)]
    assert gone_by_end("- Auth goes through `old-bridge.js`.\n", "MEMORY.md") == []
    assert gone_by_end("- Auth goes through `bridge`, `other/old-bridge.js`.\n") == []


def test_an_end_that_several_removed_paths_have_says_nothing() -> None:
    assert gone_by_end("- See `old-bridge.js`.\n", pasts=("a/old-bridge.js", "b/old-bridge.js")) == []


def test_what_the_rest_of_a_sentence_says_below_counts() -> None:
    assert gone_by_end("Both `bridge/old-bridge.js` and the other file\nno longer exist: do not add them.\n") == []
    assert gone_by_end("See `bridge/old-bridge.js`.\nOther files were removed.\n") == [("REF001", 1)]
    assert gone_by_end("- See `bridge/old-bridge.js`\n- Other files were removed.\n") == [("REF001", 1)]


def test_a_path_and_a_command_with_it_are_one_finding() -> None:
    text = "Read `src/gone.py`.\n\n```bash\npython src/gone.py\n```\n"
    assert [finding.line for finding in asked(references, {"AGENTS.md": text, **THERE}, history=PASTS.get)] == [1]


def test_a_bare_name_is_not_that_of_a_removed_file_of_a_test() -> None:
    removed = {"packages/cli/cli-test/model.lock": RemovedPath("aaaaaaa", "2026-01-03"), "packages/cli/a/tabs.tsx": RemovedPath("bbbbbbb", "2026-01-03")}
    listing = {"history": removed.get, "removed_named": lambda name: [path for path in removed if path.endswith(f"/{name}")]}
    assert asked(references, {"AGENTS.md": "Invalidate on `model.lock` changes.\n", **THERE}, **listing) == []
    assert [one.code for one in asked(references, {"AGENTS.md": "The tabs are in `tabs.tsx`.\n", **THERE}, **listing)] == ["REF001"]


@pytest.mark.parametrize(("path", "real"), [(".Codex/agents/", ".codex/agents"), ("Docs/Guide.md", "docs/Guide.md"), ("web/SRC/a.py", "apps/web/src/a.py")])
def test_a_path_in_another_case_is_not_found_where_case_counts(path: str, real: str) -> None:
    files = {"AGENTS.md": f"- See `{path}`.\n", ".codex/agents/a.toml": "x", "docs/Guide.md": "x", "apps/web/src/a.py": "x"}
    (finding,) = asked(references, files)
    assert (finding.code, finding.severity) == ("REF002", ERROR)
    assert finding.message == f"`{path}` is {real} in the project: systems that tell capitals apart do not find it"
    assert asked(references, files | {"AGENTS.md": f"- See `{real}`, not `{path}`, and `GUIDE.md`.\n"}) == []


def test_a_table_or_list_of_places_for_new_files_may_name_what_is_not_there() -> None:
    table = "Use this table when creating documents:\n\n| Name | Place |\n|---|---|\n| A | `docs/x/` |\n| B | `src/gone.py` |\n"
    assert told(table) == []
    assert told(table.replace("when creating", "to find")) == [("REF001", ERROR)]
    assert told("When adding a new endpoint, follow this:\n\n1. Add types to `src/gone.py`:\n") == [("REF001", ERROR)]
    assert told("Where new files go:\n\n- `src/gone.py`\n- `src/old.py`\n") == []


def test_a_path_that_was_renamed_to_itself_is_no_removed_one() -> None:
    past = {"data/a.json": RemovedPath("3f2a91c", "2026-01-02", "data/a.json")}
    assert asked(references, {"AGENTS.md": "See `data/a.json`.\n", "data/b.json": "x"}, history=past.get) == []
    past = {"src/data/a.json": RemovedPath("3f2a91c", "2026-01-02", "data/a.json")}
    listing = {"history": past.get, "removed_named": named_ends(past)}
    assert asked(references, {"AGENTS.md": "See `data/a.json`.\n", "data/b.json": "x"}, **listing) == []
