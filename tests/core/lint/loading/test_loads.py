from ctxkit.core.lint.document.finding import LineRange
from ctxkit.core.lint.loading.loads import LoadSetIndex
from tests.core.lint.places import workspace

TEXT = "- four words of text\n"


def loads(files, **more):
    return LoadSetIndex(workspace(files, **more))


def test_what_is_in_one_window() -> None:
    found = loads({"AGENTS.md": TEXT, "a/AGENTS.md": TEXT, "b/AGENTS.md": TEXT, "GEMINI.md": TEXT})
    assert found.has_common_set("AGENTS.md", "a/AGENTS.md")
    assert not found.has_common_set("a/AGENTS.md", "b/AGENTS.md")
    assert found.is_covered_by("a/AGENTS.md", "AGENTS.md")
    assert not found.is_covered_by("AGENTS.md", "a/AGENTS.md")


def test_waste_is_what_copies_cost_beyond_one_in_each_set() -> None:
    found = loads({"AGENTS.md": TEXT, "a/AGENTS.md": TEXT, "b/AGENTS.md": TEXT})
    places = [LineRange(path, 1, 1) for path in ("AGENTS.md", "a/AGENTS.md", "b/AGENTS.md")]
    assert dict(found.compute_waste(places)) == {
        f"{agent} in {home}": 5 for agent in ("Claude Code", "Codex", "Cursor") for home in "ab"
    }
    assert found.compute_waste(places[1:]) == ()


def test_a_set_that_only_adds_files_is_not_named_again() -> None:
    found = loads({"AGENTS.md": TEXT * 2, "a/AGENTS.md": "x\n"})
    assert [name for name, _ in found.compute_waste([LineRange("AGENTS.md", 1, 1), LineRange("AGENTS.md", 2, 2)])] == [
        *("Claude Code", "Codex", "Cursor")
    ]


def test_the_prompt_is_in_every_window() -> None:
    found = loads({"AGENTS.md": TEXT}, prompt=TEXT)
    assert [tokens for _, tokens in found.compute_waste([LineRange("AGENTS.md", 1, 1), LineRange("prompt.txt", 1, 1)])] == [5, 5, 5]


def test_a_file_that_nobody_is_known_to_load_costs_whoever_reads_it() -> None:
    found = loads({"notes.md": TEXT * 2}, explicit_paths=["notes.md"])
    assert found.compute_waste([LineRange("notes.md", 1, 1), LineRange("notes.md", 2, 2)]) == (("notes.md", 5),)


def test_copies_are_counted_once() -> None:
    calls = []
    space = workspace({"AGENTS.md": TEXT * 100})
    index = LoadSetIndex(space._replace(tokens=lambda text: calls.append(text) or 5))
    waste = index.compute_waste(LineRange("AGENTS.md", line, line) for line in range(1, 101))
    assert dict(waste)["Codex"] == 99 * 5
    assert calls == [TEXT]
