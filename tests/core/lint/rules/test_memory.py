import pytest

from ctxkit.core.lint.document.rule import ERROR
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
