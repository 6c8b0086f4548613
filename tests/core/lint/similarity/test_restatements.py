"""Sections that say in other words what a section of another file says."""

import pytest

from ctxkit.core.lint.loading.loads import LoadSetIndex
from ctxkit.core.lint.similarity.restatements import compute_weights, find_restatements
from tests.core.lint.places import workspace

VERIFY = "- Verify every claim before you report it.\n- Quote the exact output of the command as evidence.\n"
AGAIN = "- Verify every claim before reporting it.\n- Quote the exact command output as evidence.\n"
OTHER = "- Cats sleep in the warm sun all day long.\n- Birds fly to the south in late autumn.\n"


def restated(files, **more):
    place = workspace(files, **more)
    found = find_restatements(place.documents, LoadSetIndex(place), frozenset())
    return [[(kept.path, kept.line, copy.path, copy.line) for kept, copy in restatement.pairs] for restatement in found]


def test_several_statements_of_one_section_are_one_restatement() -> None:
    assert restated({"AGENTS.md": VERIFY + OTHER, "SOUL.md": AGAIN}) == [
        [("AGENTS.md", 1, "SOUL.md", 1), ("AGENTS.md", 2, "SOUL.md", 2)]
    ]


def test_one_file_skills_and_files_that_no_tool_loads_together_are_not_compared() -> None:
    assert restated({"AGENTS.md": f"# A\n\n{VERIFY}\n# B\n\n{AGAIN}"}) == []
    assert restated({"AGENTS.md": VERIFY, ".codex/skills/a/SKILL.md": AGAIN}) == []
    assert restated({"a/AGENTS.md": VERIFY, "b/AGENTS.md": AGAIN}) == []


def test_one_statement_needs_most_of_the_words_or_a_reference() -> None:
    alone = "- Verify every claim against the sources before you report it in a summary.\n"
    assert restated({"AGENTS.md": alone + OTHER, "SOUL.md": "- Verify every claim before reporting it to the user.\n"}) == []
    narrate = "- Narrate what you do before each tool call, in one short sentence.\n"
    pointer = "- Narrate before each tool call in one short sentence (see SOUL.md).\n"
    assert restated({"AGENTS.md": pointer + OTHER, "SOUL.md": narrate}) == [[("AGENTS.md", 1, "SOUL.md", 1)]]


def test_a_statement_that_sums_up_a_section_is_found() -> None:
    tiers = "".join(
        f"- Tier {number}, {model}: {work}.\n"
        for number, (model, work) in enumerate(
            (("zhipu", "bulk reading and listing"), ("haiku", "summaries and edits"), ("opus", "hard debugging only")), 1
        )
    )
    memory = "- Delegate: zhipu for bulk reading, haiku for summaries, opus only for hard debugging.\n"
    ((*pairs,),) = restated({"AGENTS.md": f"# Models\n\n{tiers}\n# Pets\n\n{OTHER}", "SOUL.md": "- x\n", "MEMORY.md": memory})
    assert {line for _, line, _, _ in pairs} == {3, 4, 5}


def test_words_scattered_over_a_section_are_the_same_subject_and_no_restatement() -> None:
    rule = "- Reference secrets of the cluster with the fromValues function instead of plain placeholders in manifests.\n"
    parts = (
        "- Template files use placeholders such as NAME.\n- Use items of the vault instead of native secrets.\n"
        "- In manifests, reference secrets of the cluster with the fromValues function, never plain values.\n"
    )
    assert restated({"AGENTS.md": rule + OTHER, "SOUL.md": parts}) == []
    section = "- First look whether the component uses the helper package.\n- Store values of the component in a static file.\n"
    other = "- Always use the helper package for static values.\n- Store the static values of components in files of their own.\n"
    assert restated({"AGENTS.md": section + OTHER, "SOUL.md": other}) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("- Listen on port 8080 in development and say so.\n", "- Listen on port 9090 in development and say so.\n"),
        ("- Always push finished work to the main branch.\n", "- Never push finished work to the main branch.\n"),
        ("- Format the code with black before a commit.\n", "- Format the code with ruff before a commit.\n"),
        ("- [ ] Verify every claim before you report it\n", "- [ ] Verify every claim before you report it\n"),
        ("- Did you verify every claim in the report?\n", "- Did you verify each claim in the report?\n"),
    ],
)
def test_what_differs_in_more_than_words_is_no_restatement(first: str, second: str) -> None:
    assert restated({"AGENTS.md": first + OTHER, "SOUL.md": second}) == []


def test_statements_far_apart_are_restatements_of_their_own() -> None:
    far = VERIFY.replace("\n- Quote", "\n" * 40 + "- Quote")
    assert len(restated({"AGENTS.md": far, "SOUL.md": AGAIN})) == 2


def test_the_first_paragraph_says_what_a_file_is_and_a_bare_pointer_where_more_stands() -> None:
    first = "# T\n\nRules for the work in this repository, and links to the files of other tools.\n"
    assert restated({"AGENTS.md": first, "web/AGENTS.md": first.replace("this repository", "`web/`")}) == []
    pointer = "# T\n\n- x\n\nSee the root AGENTS.md for policies and workflows.\n"
    assert restated({"SOUL.md": pointer, "AGENTS.md": pointer}) == []


def test_the_entries_of_two_indexes_are_no_restatement() -> None:
    first = "- **Route handlers**: `rules/route-handlers.md` — thin API handlers\n- **Data**: `rules/data.md` — fetch on the server first\n"
    second = "- **Route handlers**: `rules/route-handlers.md` — thin handlers of the API\n- **Data**: `rules/data.md` — first fetch on the server\n"
    assert restated({"AGENTS.md": first + OTHER, "SOUL.md": second}) == []


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    weights = compute_weights([frozenset(("a", "b")), frozenset(("a", "c")), frozenset(("a", "b"))])
    assert weights["c"] > weights["b"] > weights["a"] > 0
