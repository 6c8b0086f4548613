import pytest

from ctxkit.core.lint.rules import context
from tests.core.lint.asked import asked, codes, mended

PAGE = "# Context\n\n## Task\nFix the parser.\n\n## Decisions\n- Keep it.\n\n## Facts\n- A fact.\n\n## Pending\n- [ ] Do it\n\n## Errors\n- None so far.\n"


def test_the_template_filled_is_fine_and_another_page_of_that_name_is_not_judged() -> None:
    assert codes(context, {"CONTEXT.md": PAGE}) == []
    assert codes(context, {"CONTEXT.md": "# React context\n\n## Usage\n\nx\n"}) == []


def test_a_missing_section_is_added_where_it_belongs() -> None:
    lacking = PAGE.replace("## Facts\n- A fact.\n\n", "")
    assert [code for code, _ in codes(context, {"CONTEXT.md": lacking})] == ["CTX001"]
    added = mended(context, "CONTEXT.md", lacking)
    assert added.index("## Decisions") < added.index("## Facts") < added.index("## Pending")
    assert [code for code, _ in codes(context, {"CONTEXT.md": mended(context, "CONTEXT.md", "# Context\n\n## Task\nx\n\n## Facts\n- y")})] == ["CTX003"] * 3


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("## Errors", "## Notes\n- x\n\n## Errors", "CTX001"),
        ("- A fact.", "\n".join(f"- Fact {number}." for number in range(11)), "CTX002"),
        ("Fix the parser.", "[One sentence: what the user is working on right now]", "CTX003"),
        ("- A fact.", "- [Important fact discovered]", "CTX003"),
        ("- A fact.\n", "", "CTX003"),
        ("- A fact.", "We found that it is so.", "CTX004"),
        ("- [ ] Do it", "- Do it", "CTX004"),
        ("Fix the parser.", "Fix the parser.\n\nThen the lexer.", "CTX004"),
    ],
)
def test_what_departs_from_the_template_is_told_of(old: str, new, code: str) -> None:
    assert [one.code for one in asked(context, {"CONTEXT.md": PAGE.replace(old, new)})] == [code]


def test_sections_out_of_order_are_told_of() -> None:
    swapped = PAGE.replace("## Facts\n- A fact.\n\n", "").replace("## Decisions", "## Facts\n- A fact.\n\n## Decisions")
    assert {code for code, _ in codes(context, {"CONTEXT.md": swapped})} == {"CTX001"}


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("Fix the parser.", "Fix the parser. Then write the docs.", 4),
        ("- A fact.", "- A fact. Another one.", 10),
        ("- [ ] Do it", "- [ ] Do it. Then rest.", 13),
    ],
)
def test_the_task_and_each_bullet_are_one_sentence(old: str, new: str, line: int) -> None:
    assert codes(context, {"CONTEXT.md": PAGE.replace(old, new)}) == [("CTX004", line)]


def test_a_quotation_of_two_sentences_and_an_abbreviation_are_one_sentence() -> None:
    page = PAGE.replace("- A fact.", '- The user said "Stop. Wait." and left, e.g. for v1.2 of `a. b`.')
    assert codes(context, {"CONTEXT.md": page}) == []


def test_a_second_context_in_the_file_is_appended_text() -> None:
    assert codes(context, {"CONTEXT.md": f"{PAGE}\n{PAGE}"}) == [("CTX001", 18)]
