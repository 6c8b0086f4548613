import pytest

from ctxkit.core.lint.document.finding import ERROR
from ctxkit.core.lint.rules import memory
from tests.core.lint.asked import asked, codes, mended

NARRATIVE = "We then talked about the deploy and found that staging needs a VPN, so we set it up."


def test_a_narrative_is_no_bullet_and_can_be_made_one() -> None:
    text = f"# Memory\n\n- A fact.\n\n{NARRATIVE}\n"
    assert codes(memory, {"MEMORY.md": text}) == [("MEM001", 5)]
    assert mended(memory, "MEMORY.md", text) == f"# Memory\n\n- A fact.\n\n- {NARRATIVE}\n"
    assert codes(memory, {"AGENTS.md": text}) == []
    assert codes(memory, {"_rules/MEMORY.md": text}) == []


def test_a_paragraph_behind_a_control_character_is_left_as_it_is() -> None:
    text = f"# Memory\n\n- A fact.\n\n\x1f{NARRATIVE}\n"
    assert codes(memory, {"MEMORY.md": text}) == [("MEM001", 5)]
    assert mended(memory, "MEMORY.md", text) == text


@pytest.mark.parametrize(
    "text",
    ["This file holds what is to be remembered over sessions.", "Durable facts and decisions belong here, one to a bullet.",
     "*Last reviewed by Ana.*", "> An aside about how this came to be in the first place.", "**Name:** Ana of the platform team",
     "Preferences:", "Short label here"],
)  # fmt: skip
def test_what_says_what_the_file_is_and_keyed_facts_are_no_narrative(text: str) -> None:
    assert codes(memory, {"MEMORY.md": f"# Memory\n\n{text}\n\n- A fact.\n"}) == []


def test_nested_bullets_and_archived_memories_are_left_alone() -> None:
    assert codes(memory, {"MEMORY.md": "- a\n  - b\n  - c\n- d\n"}) == []
    assert codes(memory, {"archive/2026/MEMORY.md": f"# Memory\n\n{NARRATIVE}\n"}) == []


def test_only_the_memory_that_claude_code_writes_has_a_cap() -> None:
    home = "/home/ana/.claude/projects/-srv-app/memory"
    long = "- A fact.\n" * 260
    (finding,) = asked(memory, {"MEMORY.md": long}, location=home)
    assert (finding.code, finding.severity, finding.line, finding.end_line) == ("MEM002", ERROR, 201, 260)
    assert codes(memory, {".claude/projects/-srv-app/memory/MEMORY.md": long}, location="/home/ana") == [("MEM002", 201)]
    assert codes(memory, {"MEMORY.md": "- A fact.\n" * 200}, location=home) == []
    for path in ("MEMORY.md", "archive/scripts/MEMORY.md", "memory/MEMORY.md"):
        assert codes(memory, {path: long}, location="/srv/app") == []


@pytest.mark.parametrize("text", ["- Moved to the cluster last week.", "- It broke yesterday.", "- 昨天部署失败了"])
def test_a_day_that_moves_is_told_of(text: str) -> None:
    assert codes(memory, {"MEMORY.md": f"{text}\n"}) == [("MEM003", 1)]


@pytest.mark.parametrize("text", ["- Every week, read last week's notes.", "- Moved on 2026-02-09.", '- Never say "today".', "- `git log yesterday`"])
def test_a_day_of_any_week_is_none(text: str) -> None:
    assert codes(memory, {"MEMORY.md": f"{text}\n"}) == []


def test_the_paragraphs_of_a_memory_are_one_finding() -> None:
    text = f"# Memory\n\n- A fact.\n\n{NARRATIVE}\n\n- Another.\n\n{NARRATIVE}\n"
    (finding,) = asked(memory, {"MEMORY.md": text})
    assert (finding.line, finding.message) == (5, "2 paragraphs where bullets should be, the first one here: one fact a bullet")
    assert mended(memory, "MEMORY.md", text).count(f"- {NARRATIVE}") == 2


PAGE = "# Context\n\n## Task\nFix the parser.\n\n## Decisions\n- Keep it.\n\n## Facts\n- A fact.\n\n## Pending\n- [ ] Do it\n\n## Errors\n- None so far.\n"


def test_the_template_filled_is_fine_and_another_page_of_that_name_is_not_judged() -> None:
    assert codes(memory, {"CONTEXT.md": PAGE}) == []
    assert codes(memory, {"CONTEXT.md": "# React context\n\n## Usage\n\nx\n"}) == []


def test_a_missing_section_is_added_where_it_belongs() -> None:
    lacking = PAGE.replace("## Facts\n- A fact.\n\n", "")
    assert [code for code, _ in codes(memory, {"CONTEXT.md": lacking})] == ["CTX001"]
    added = mended(memory, "CONTEXT.md", lacking)
    assert added.index("## Decisions") < added.index("## Facts") < added.index("## Pending")
    assert [code for code, _ in codes(memory, {"CONTEXT.md": mended(memory, "CONTEXT.md", "# Context\n\n## Task\nx\n\n## Facts\n- y")})] == ["CTX003"] * 3


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
    assert [one.code for one in asked(memory, {"CONTEXT.md": PAGE.replace(old, new)})] == [code]


def test_sections_out_of_order_are_told_of() -> None:
    swapped = PAGE.replace("## Facts\n- A fact.\n\n", "").replace("## Decisions", "## Facts\n- A fact.\n\n## Decisions")
    assert {code for code, _ in codes(memory, {"CONTEXT.md": swapped})} == {"CTX001"}


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("Fix the parser.", "Fix the parser. Then write the docs.", 4),
        ("- A fact.", "- A fact. Another one.", 10),
        ("- [ ] Do it", "- [ ] Do it. Then rest.", 13),
    ],
)
def test_the_task_and_each_bullet_are_one_sentence(old: str, new: str, line: int) -> None:
    assert codes(memory, {"CONTEXT.md": PAGE.replace(old, new)}) == [("CTX004", line)]


def test_a_quotation_of_two_sentences_and_an_abbreviation_are_one_sentence() -> None:
    page = PAGE.replace("- A fact.", '- The user said "Stop. Wait." and left, e.g. for v1.2 of `a. b`.')
    assert codes(memory, {"CONTEXT.md": page}) == []


def test_a_second_context_in_the_file_is_appended_text() -> None:
    assert codes(memory, {"CONTEXT.md": f"{PAGE}\n{PAGE}"}) == [("CTX001", 18)]
