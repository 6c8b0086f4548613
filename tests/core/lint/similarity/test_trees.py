"""Files for different tools that mirror each other."""

from ctxkit.core.lint.document.finding import INFO, WARNING
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.trees import MIN_STATEMENTS, find_mirrored_files, make_mirror_finding
from tests.core.lint.places import workspace

WORDS = ["cache", "store", "parser", "window", "ledger", "index"]
LINES = [f"- Rule about the {word} in this project stands here.\n" for word in WORDS]
OTHERS = [f"- Never touch the {word} on a holiday.\n" for word in WORDS]


def mirrors(files):
    place = workspace(files)
    return [make_mirror_finding(mirror, LoadSetIndex(place)) for mirror in find_mirrored_files(place, LoadSetIndex(place))]


def test_an_equal_file_for_another_tool_costs_nothing_if_no_tool_loads_both():
    (one,) = mirrors({".roorules": "".join(LINES), ".windsurfrules": "".join(LINES)})
    assert (one.code, one.path, one.severity, one.score, one.wasted) == ("DUP005", ".windsurfrules", INFO, None, ())
    assert "no tool loads both" in one.message


def test_a_file_that_has_changed_is_a_drifted_copy():
    drifted = "".join([*LINES[:-1], "- Another rule about the door stands here now.\n"])
    (one,) = mirrors({".clinerules": "".join(LINES), ".windsurfrules": drifted})
    assert (one.code, one.path) == ("DUP006", ".windsurfrules")
    assert 0.6 <= one.score < 1


def test_half_of_the_statements_are_enough_and_the_cost_is_named_for_each_tool():
    own = "- Cats sleep in the sun.\n- Dogs bark at all men.\n- Birds fly to the south.\n"
    files = {"AGENTS.md": "".join(LINES + OTHERS), ".cursorrules": "".join(LINES[:3]) + own}
    (one,) = mirrors(files)
    assert (one.code, one.severity, one.path) == ("DUP005", WARNING, ".cursorrules")
    assert one.message.startswith("3 of 6 statements as in AGENTS.md; the copies cost 30 tokens in Cursor; ")
    assert one.message.endswith("Cursor reads AGENTS.md itself, so .cursorrules needs no copy")


def test_few_statements_other_directories_and_one_tool_are_no_mirrors():
    few = "".join(LINES[: MIN_STATEMENTS - 1])
    assert mirrors({".clinerules": few, ".windsurfrules": few}) == []
    assert mirrors({".clinerules": "".join(LINES), "web/.windsurfrules": "".join(LINES)}) == []
    assert mirrors({".cursor/rules/a.mdc": "".join(LINES), ".cursor/rules/b.mdc": "".join(LINES)}) == []


def test_a_file_that_imports_the_other_needs_no_import():
    (finding,) = mirrors({"AGENTS.md": "".join(LINES), "CLAUDE.md": "".join(["@AGENTS.md\n\n", *LINES])})
    assert finding.message.endswith("; CLAUDE.md imports AGENTS.md already, so remove them from CLAUDE.md")
    (finding,) = mirrors({"AGENTS.md": "".join(LINES), "CLAUDE.md": "".join(LINES)})
    assert finding.message.endswith("'@AGENTS.md' in CLAUDE.md, or a symbolic link, makes Claude Code read AGENTS.md")


def test_rules_of_two_tools_for_some_files_get_no_advice_that_one_of_them_cannot_follow():
    cursor, claude = "---\nglobs: web/**\n---\n", "---\npaths:\n  - web/**\n---\n"
    files = {".cursor/rules/a.mdc": cursor + "".join(LINES), ".claude/rules/a.md": claude + "".join(LINES)}
    (finding,) = mirrors({**files, "CLAUDE.md": "# Project\n"})
    assert finding.message.endswith("no tool loads both, but somebody must keep them in sync")


def test_a_file_that_a_tool_also_loads_is_compared_before_an_equal_one_that_no_tool_does():
    own = "- Cats sleep in the sun.\n- Dogs bark at all men.\n"
    copy = "".join(LINES) + own
    found = mirrors({"AGENTS.md": "".join(LINES + OTHERS), ".roorules": copy, ".windsurfrules": copy})
    assert [(one.path, one.related[0].path, one.severity) for one in found] == [
        (".roorules", "AGENTS.md", WARNING),
        (".windsurfrules", "AGENTS.md", WARNING),
    ]
    assert "in Windsurf" in found[1].message
