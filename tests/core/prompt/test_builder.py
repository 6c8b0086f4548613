"""Prompts and their breakpoints, which stay while only dynamic sections change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.prompt.builder import MAX_BREAKPOINTS, build_prompt, choose_breakpoints
from ctxkit.core.prompt.sections import PromptSection
from tests.core.prompt.section_names import SECTION_NAMES

SIX = [
    PromptSection("status", "[Context: 83% used.]"),
    PromptSection("base", "You are careful. ä\n"),
    PromptSection("rules", "Use tabs.\n\n"),
    PromptSection("memories", "The user is called Ünal."),
    PromptSection("skills", "Release: publish."),
    PromptSection("scratchpad", "Try b.py next."),
]
TEXTS = st.text("ab ä🙂\n", min_size=1, max_size=30)


def test_breakpoints_follow_sections_1_to_3() -> None:
    """Seed 001: "Cache breakpoints inserted after sections 1–3." and "Build() (prompt string, breakpoints []int)"."""
    prompt = build_prompt(SIX)
    assert prompt.text == (
        "You are careful. ä\n\nUse tabs.\n\nThe user is called Ünal.\n\nRelease: publish.\n\nTry b.py next.\n\n"
        "[Context: 83% used.]\n"
    )
    assert [point.section for point in prompt.breakpoints] == ["base", "rules", "memories"]
    assert [prompt.text[: point.characters].splitlines()[-1] for point in prompt.breakpoints] == [
        "You are careful. ä", "Use tabs.", "The user is called Ünal.",
    ]  # fmt: skip
    assert [(point.bytes, point.characters) for point in prompt.breakpoints] == [(20, 19), (31, 30), (58, 56)]


def test_skills_are_cached_only_while_unchanged() -> None:
    """Seed 001: "Sometimes | On skill activate/deactivate"."""
    first = build_prompt(SIX)
    again = build_prompt([*SIX[:-1], PromptSection("scratchpad", "other")], first.text)
    assert [point.section for point in again.breakpoints] == ["base", "rules", "memories", "skills"]
    changed = build_prompt([*SIX[:4], PromptSection("skills", "another"), SIX[5]], first.text)
    assert [point.section for point in changed.breakpoints] == ["base", "rules", "memories"]
    rules = build_prompt([SIX[1], PromptSection("rules", "Other."), *SIX[3:]], first.text)
    assert [point.section for point in rules.breakpoints] == ["base", "rules", "memories"]


def test_a_section_says_whether_it_is_cacheable() -> None:
    sections = [PromptSection("base", "a"), PromptSection("skills", "b", True), PromptSection("memories", "c", False)]
    assert [point.section for point in build_prompt(sections).breakpoints] == ["base", "skills"]


@given(st.lists(st.builds(PromptSection, st.sampled_from(SECTION_NAMES), TEXTS), max_size=8))
def test_breakpoints_are_offsets_of_the_text_in_both_units(sections: list[PromptSection]) -> None:
    prompt = build_prompt(sections)
    for point in prompt.breakpoints:
        assert prompt.text.encode()[: point.bytes].decode() == prompt.text[: point.characters]
    assert "".join(text for text, _ in prompt.split_static()) == prompt.static_text
    assert prompt.static_text.strip("\n") + prompt.volatile_text.strip("\n") in prompt.text.replace("\n\n", "") or (
        prompt.text.startswith(prompt.static_text) and prompt.text.endswith(prompt.volatile_text)
    )


@pytest.mark.slow
@given(st.tuples(*[TEXTS.filter(str.strip)] * 5), st.lists(st.tuples(TEXTS, TEXTS), min_size=100, max_size=100))
def test_the_cached_prefix_is_the_same_over_100_turns(static: tuple[str, ...], turns: list[tuple[str, str]]) -> None:
    """Seed 001: "Dynamic content at any position invalidates provider-level caching"."""
    fixed = [PromptSection(name, text) for name, text in zip(SECTION_NAMES[:5], static, strict=True)]
    prefixes, previous = set(), None
    for scratchpad, status in turns:
        sections = [PromptSection("status", status), *fixed, PromptSection("scratchpad", scratchpad)]
        prompt = build_prompt(sections, previous)
        if previous is not None:
            prefixes.add(prompt.text.encode()[: prompt.breakpoints[-1].bytes])
        previous = prompt.text
    assert len(prefixes) == 1
    assert prefixes == {prompt.static_text.encode()}


def test_at_most_four_breakpoints_are_used_and_none_below_the_minimum() -> None:
    sections = [PromptSection(f"part {number}", "x" * 99, cacheable=True) for number in range(7)]
    prompt = build_prompt(sections)
    assert len(prompt.breakpoints) == 7
    chosen = choose_breakpoints(prompt, len, 0)
    assert [point.section for point in chosen] == [f"part {number}" for number in range(3, 7)]
    assert len(chosen) == MAX_BREAKPOINTS
    assert [point.section for point in choose_breakpoints(prompt, len, 600)] == ["part 5", "part 6"]
    assert len(choose_breakpoints(prompt, len, 600, before=500)) == MAX_BREAKPOINTS


@pytest.mark.parametrize("most", [0, 1, 3])
def test_fewer_breakpoints_may_be_asked_for(most: int) -> None:
    assert len(choose_breakpoints(build_prompt(SIX), len, 0, most)) == most
