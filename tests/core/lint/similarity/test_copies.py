"""Passages and single statements that stand again."""

from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.copies import find_copies
from tests.core.lint.places import workspace

LINES = [f"- The {word} of this project is kept in one place.\n" for word in ("cache", "store", "parser", "window", "ledger")]


def copies(files, skipped=frozenset()):
    place = workspace(files)
    documents = sorted(place.documents, key=lambda document: list(files).index(document.path))
    return find_copies(documents, LoadSetIndex(place), skipped)


def test_a_passage_is_the_longest_one_and_its_statements_are_no_groups() -> None:
    files = {"AGENTS.md": "".join(LINES), "CLAUDE.md": "- Other words stand here first.\n" + "".join(LINES[1:4])}
    (passage,), groups = copies(files)
    assert (str(passage.keeper), str(passage.copy)) == ("AGENTS.md L2-4", "CLAUDE.md L2-4")
    assert (passage.drifted, groups) == ((), ())


def test_a_statement_that_changed_between_equal_ones_has_drifted() -> None:
    changed = [*LINES[:2], LINES[2].replace("one place", "two places"), *LINES[3:]]
    (passage,), _ = copies({"AGENTS.md": "".join(LINES), "CLAUDE.md": "".join(changed)})
    assert [(kept.line, copy.line) for kept, copy in passage.drifted] == [(3, 3)]


def test_two_statements_are_no_passage_and_those_of_templates_are_none_at_all() -> None:
    text = "".join(LINES)
    passages, groups = copies({"AGENTS.md": "".join(LINES[:2]), "CLAUDE.md": "".join(LINES[:2])})
    assert (passages, [len(group) for group in groups]) == ((), [2, 2])
    assert copies({"AGENTS.md": text, "templates/CLAUDE.md": text}) == ((), ())


def test_files_that_no_tool_loads_together_have_no_copies() -> None:
    assert copies({"a/AGENTS.md": "".join(LINES), "b/AGENTS.md": "".join(LINES)}) == ((), ())


def test_statements_of_which_another_finding_tells_are_left_out() -> None:
    files = {"AGENTS.md": "".join(LINES), "CLAUDE.md": "".join(LINES)}
    place = workspace(files)
    skipped = frozenset(unit for document in place.documents for unit in document.units if document.path == "CLAUDE.md")
    assert copies(files, skipped) == ((), ())


def test_a_third_place_beside_a_passage_keeps_the_first_one() -> None:
    files = {"AGENTS.md": "".join(LINES), "CLAUDE.md": "".join(LINES), ".claude/skills/x/SKILL.md": LINES[3]}
    passages, groups = copies(files)
    assert len(passages) == 1
    assert [[unit.path for unit in group] for group in groups] == [["AGENTS.md", ".claude/skills/x/SKILL.md"]]


def test_two_sections_of_a_skill_have_no_copies_and_one_section_has() -> None:
    apart = f"# A\n\n{LINES[0]}\n# B\n\n{LINES[0]}"
    assert copies({".claude/skills/x/SKILL.md": apart}).groups == ()
    assert len(copies({"CLAUDE.md": apart}).groups) == 1
    assert len(copies({".claude/skills/x/SKILL.md": f"# A\n\n{LINES[0]}\n{LINES[0]}"}).groups) == 1


def test_a_short_entry_of_an_index_is_in_each_index() -> None:
    entry = "- Naming and layout of files: `docs/naming.md`\n"
    assert copies({"AGENTS.md": entry, "CLAUDE.md": entry}) == ((), ())
    entry = entry.replace("\n", " — names say what a thing is, and no name has an abbreviation in it\n")
    assert len(copies({"AGENTS.md": entry, "CLAUDE.md": entry}).groups) == 1
