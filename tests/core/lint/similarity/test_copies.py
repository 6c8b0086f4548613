"""Passages and single statements that stand again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.copies import MIN_LINES, find_copied_blocks, find_copies, find_repeated_sections
from tests.core.lint.places import workspace
from tests.example_counts import count_examples

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


def blocks(**files: str):
    documents = [parse_document(f"{name}.md", text.encode()) for name, text in files.items()]
    return [([str(place) for place in block.places], block.is_file) for block in find_copied_blocks(documents)]


def lines(count: int, word: str = "line") -> str:
    return "".join(f"{word} {number}\n" for number in range(count))


def test_equal_files_are_one_group_whatever_blanks_end_their_lines() -> None:
    text = lines(12)
    assert blocks(a=text, b=text.replace("\n", " \n"), c=text, d=lines(12, "other")) == [
        (["a.md L1-12", "b.md L1-12", "c.md L1-12"], True)
    ]
    assert blocks(a=lines(9), b=lines(9)) == []


def test_a_block_is_as_long_as_it_is_equal() -> None:
    block = lines(MIN_LINES)
    assert blocks(a=f"x\n{block}y\n", b=f"one\ntwo\n{block}three\n", c=lines(MIN_LINES - 1)) == [
        (["a.md L2-31", "b.md L3-32"], False)
    ]
    assert blocks(a=f"x\n{block}", b=f"one\n{lines(MIN_LINES - 1)}two\n") == []


def test_a_block_of_blank_lines_and_one_in_a_template_are_none() -> None:
    blank = "\n" * MIN_LINES
    assert blocks(a=f"x\n{blank}y\n", b=f"one\n{blank}two\n") == []
    template = parse_document("templates/a.md", lines(40).encode())
    assert find_copied_blocks([template, parse_document("b.md", lines(40).encode())]) == []


def test_a_block_in_three_files_is_one_group() -> None:
    block = lines(40)
    ((places, is_file),) = blocks(a=f"x\n{block}", b=f"one\ntwo\n{block}", c=f"{block}z\n")
    assert (len(places), is_file) == (3, False)


def test_the_blocks_of_two_files_are_one_group_and_notes_of_days_have_none() -> None:
    first, second = lines(40, "first"), lines(35, "second")
    documents = [parse_document(path, text.encode()) for path, text in (("a.md", f"{first}x\n{second}"), ("b.md", f"{second}y\n{first}"))]
    (block,) = find_copied_blocks(documents)
    assert [len(places) for places in block.list_places()] == [2, 2]
    notes = [parse_document(f"memory/2026-01-0{day}.md", lines(40).encode(), FileRole.DAILY) for day in (1, 2)]
    assert find_copied_blocks(notes) == []


@given(st.lists(st.sampled_from("abc"), max_size=90), st.lists(st.sampled_from("abc"), max_size=90))
@settings(deadline=None, max_examples=count_examples(200))
def test_each_block_is_equal_in_its_places(first, second) -> None:
    texts = {"a.md": [f"{letter} {place // 40}" for place, letter in enumerate(first)], "b.md": [f"{letter} 0" for letter in second]}
    documents = [parse_document(path, "\n".join(rows).encode()) for path, rows in texts.items()]
    for block in find_copied_blocks(documents):
        if not block.is_file:
            for places in block.list_places():
                left, right = (texts[place.path][place.line - 1 : place.end_line] for place in places)
                assert left == right
                assert len(left) >= MIN_LINES


BODY = "- Read the schema first.\n- Write a test for it.\n- Ask the owner.\n"


def pairs(text: str, path: str = "AGENTS.md", role: FileRole = FileRole.INSTRUCTIONS) -> list[tuple[int, int, bool]]:
    document = parse_document(path, text.encode(), role)
    return [(pair.kept.line, pair.copy.line, pair.is_whole) for pair in find_repeated_sections(document)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"# A\n\n## Names\n{BODY}\n## Other\n\nWords.\n\n## Names\n{BODY}", [(3, 12, True)]),
        (f"# A\n\n## Names\n{BODY}\n# B\n\n### 3. Names\n{BODY}", [(3, 10, True)]),
        (f"# A\n\n## Changes\n{BODY}\n## Changes\n{BODY}- And more.\n", [(8, 3, False)]),
        (f"# A\n\n## Names\n{BODY}- And more.\n\n## Names\n{BODY}", [(3, 9, False)]),
        (f"# A\n\n## Names\n{BODY}\n### Files\n{BODY}\n## Names\n{BODY}\n### Files\n{BODY}", [(3, 13, True)]),
    ],
)
def test_a_section_whose_statements_stand_again_is_found_once(text: str, found: list[tuple[int, int, bool]]) -> None:
    assert pairs(text) == found


@pytest.mark.parametrize(
    "text",
    [
        f"# A\n\n## Names\n{BODY}\n## Titles\n{BODY}",
        f"# A\n\n## Names\n{BODY}\n## Names\n{BODY.replace('Ask', 'Tell')}",
        f"# Before a change\n\n## Names\n{BODY}\n# After a change\n\n## Names\n{BODY}",
        f"# GET\n\n## Response\n{BODY}\n# POST\n\n## Response\n{BODY}",
        "# A\n\n## Names\n\n- One thing.\n\n## Names\n\n- One thing.\n",
        f"# Names\n\n## Names\n{BODY}",
    ],
)
def test_a_section_that_says_the_same_of_another_thing_or_something_else_is_none(text: str) -> None:
    assert pairs(text) == []


def test_steps_and_templates_repeat_sections_on_purpose() -> None:
    text = f"# A\n\n## Names\n{BODY}\n## Names\n{BODY}"
    assert pairs(text, "skills/a/SKILL.md", FileRole.SKILL) == pairs(text, "templates/AGENTS.md") == []
    assert pairs(text) != []
