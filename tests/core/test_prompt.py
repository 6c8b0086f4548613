"""Prompts and their breakpoints, which stay while only dynamic sections change."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.brief.document import parse_nothing
from ctxkit.core.compact.policy import CachePrices
from ctxkit.core.gate.decision import GatePolicy, GateServices
from ctxkit.core.prompt import (
    KINDS,
    MAX_BREAKPOINTS,
    GatedSection,
    PromptSection,
    build_prompt,
    choose_breakpoints,
    find_cache_minimum,
    find_difference,
    find_volatile_text,
    gate_sections,
    make_anthropic_members,
    make_openai_members,
    order_sections,
)
from ctxkit.core.text.limits import call_directly
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines import tokens
from tests.core.gate.test_replacement import MemoryStore, tokenizer
from tests.core.prompt.section_names import SECTION_NAMES
from tests.example_counts import count_examples

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


@pytest.mark.parametrize("most", [0, 1, 3])
def test_fewer_breakpoints_may_be_asked_for(most: int) -> None:
    assert len(choose_breakpoints(build_prompt(SIX), len, 0, most)) == most


NAMES = st.sampled_from([*SECTION_NAMES, "tools", "persona"])
SECTIONS = st.lists(st.builds(PromptSection, NAMES, st.sampled_from("abc"), st.sampled_from([None, True, False])))


def test_the_sections_of_the_seed_are_in_its_order() -> None:
    """Seed 001, "Section ordering (static → dynamic)"; seed 003: CONTEXT.md "as its own system prompt section"."""
    table = [
        ("Base system instructions", "base"),
        ("AGENT.md", "rules"),
        ("memories", "memories"),
        ("CONTEXT.md", "context"),
        ("skills", "skills"),
        ("Scratchpad notes", "scratchpad"),
        ("Context usage status", "status"),
    ]
    sections = [PromptSection(name, "text") for name, _ in reversed(table)]
    assert [section.kind for section in order_sections(sections)] == [kind for _, kind in table] == [*SECTION_NAMES]


def test_sections_with_other_names_go_where_they_say() -> None:
    sections = [
        PromptSection("status", "x"), PromptSection("notes", "x"), PromptSection("persona", "x", cacheable=True),
        PromptSection("base", "x"), PromptSection("rules", "x", cacheable=False), PromptSection("skills", "x"),
    ]  # fmt: skip
    assert [section.name for section in order_sections(sections)] == [
        "base", "persona", "skills", "rules", "notes", "status",
    ]  # fmt: skip


def test_empty_sections_are_left_out() -> None:
    assert order_sections([PromptSection("base", " \n")]) == []


@given(SECTIONS)
def test_static_sections_come_first_and_classes_are_stable(sections: list[PromptSection]) -> None:
    ordered = order_sections(sections)
    static = [section.is_static for section in ordered]
    assert static == sorted(static, reverse=True)
    for kind in SECTION_NAMES:
        of_kind = [section for section in ordered if section.kind == kind and section.cacheable is None]
        assert of_kind == [section for section in sections if section.kind == kind and section.cacheable is None]


MEMORY = "".join(f"- Fact {number} of the project is remembered.\n" for number in range(2000))


def gate(sections: list[PromptSection], window: int, store: MemoryStore | None = None) -> list[GatedSection]:
    store = store or MemoryStore()
    policy = GatePolicy(Budget(window, 0, 300), find_vocabulary("bytes/3"), Hint(PRESETS["ctxkit"]))
    return list(gate_sections(sections, policy, GateServices(tokenizer, lambda: store, parse_nothing, call_directly)))  # type: ignore[return-value]


def test_memory_cannot_eat_the_window() -> None:
    """Seed 000: "prevents the scenario where memory injection eats the entire budget"."""
    store = MemoryStore()
    base, memory, status = gate(
        [PromptSection("memories", MEMORY), PromptSection("status", "ok"), PromptSection("base", "Be careful.")],
        4000,
        store,
    )
    assert (base.section.content, status.section.content) == ("Be careful.", "ok")
    assert memory.result.result == "briefing"
    assert memory.token_count.high <= 2000
    assert store.held == {memory.result.ref: MEMORY.encode()}


def test_memory_that_fits_takes_at_most_half_of_what_is_left() -> None:
    text = "x" * 6_300
    assert gate([PromptSection("memories", text)], 4000)[0].result.result == "briefing"
    assert gate([PromptSection("rules", text)], 4000)[0].result.result == "raw"
    assert gate([PromptSection("memories", text)], 5000)[0].section.content == text


@pytest.mark.slow
def test_the_same_static_sections_enter_in_the_same_way() -> None:
    static = [PromptSection("base", "Be careful."), PromptSection("memories", MEMORY)]
    texts = {
        build_prompt(item.section for item in gate([*static, PromptSection("status", "y" * size)], 4000)).static_text
        for size in (1, 100, 5000)
    }
    assert len(texts) == 1


@pytest.mark.slow
@settings(max_examples=count_examples(20))
@given(
    st.lists(st.tuples(st.sampled_from(SECTION_NAMES), st.sampled_from([1, 900, len(MEMORY)])), max_size=6), st.integers(50, 5000)
)
def test_the_prompt_never_exceeds_the_window(sizes: list[tuple[str, int]], window: int) -> None:
    sections = [PromptSection(name, MEMORY[:size]) for name, size in sizes]
    prompt = build_prompt(item.section for item in gate(sections, window))
    assert tokenizer(find_vocabulary("bytes/3"))(prompt.text) <= window


PROMPT = build_prompt(
    [
        PromptSection("base", "One."), PromptSection("rules", "Two."), PromptSection("skills", "Three."),
        PromptSection("status", "Four."),
    ]
)  # fmt: skip
MARK = {"type": "ephemeral"}


def test_blocks_end_at_the_breakpoints_and_the_rest_rides_at_the_tail() -> None:
    assert make_anthropic_members(PROMPT, PROMPT.breakpoints) == {
        "system": [
            {"type": "text", "text": "One.\n", "cache_control": MARK},
            {"type": "text", "text": "\nTwo.\n", "cache_control": MARK},
            {"type": "text", "text": "\nThree.\n"},
        ],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Four.\n"}]}],
    }


def test_pieces_without_a_usable_breakpoint_join() -> None:
    members = make_anthropic_members(PROMPT, PROMPT.breakpoints[1:], tail=False)
    assert [block["text"] for block in members["system"]] == ["One.\n\nTwo.\n", "\nThree.\n", "\nFour.\n"]
    assert "".join(block["text"] for block in members["system"]) == PROMPT.text
    assert members["messages"] == []


def test_openai_gets_messages() -> None:
    assert make_openai_members(PROMPT) == {
        "messages": [
            {"role": "system", "content": "One.\n\nTwo.\n\nThree.\n"},
            {"role": "user", "content": "Four.\n"},
        ]
    }
    assert make_openai_members(PROMPT, tail=False) == {"messages": [{"role": "system", "content": PROMPT.text}]}
    assert make_openai_members(build_prompt([])) == {"messages": []}


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-opus-5", 512),
        ("claude-opus-4-8", 1024),
        ("claude-opus-4.7", 2048),
        ("anthropic/claude-opus-4-6", 4096),
        ("claude-opus-4-5-20251101", 4096),
        ("claude-opus-4-1", 1024),
        ("claude-sonnet-4-6", 1024),
        ("claude-sonnet-5", 1024),
        ("us.anthropic.claude-haiku-4-5-20251001-v1:0", 4096),
        ("claude-3-5-haiku-latest", 2048),
        ("claude-3-5-sonnet", 1024),
        ("a-model-of-tomorrow", 4096),
    ],
)
def test_anthropic_has_a_minimum_for_each_model(model: str, tokens: int) -> None:
    assert find_cache_minimum(model, "anthropic") == tokens


def test_other_providers_have_one_or_none() -> None:
    assert find_cache_minimum("gpt-5", "openai") == 1024
    assert find_cache_minimum("qwen3-30b", "") == 0


def kinds_of(text: str, name: str = "base") -> list[str]:
    return [finding.kind for finding in find_volatile_text(build_prompt([PromptSection(name, text)]))]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Today is 2026-11-22.", ["date"]),
        ("Today is November 22, 2026.", ["date"]),
        ("Heute ist der 22.11.2026.", ["date"]),
        ("It is 20:06:08 UTC.", ["time"]),
        ("started at 1763841968", ["time"]),
        ("2026-11-22T20:06:08Z", ["date", "time"]),
        ("request 6fa459ea-ee8a-3ca4-894e-db77e160355e", ["uuid"]),
        ("This is turn 12 of 30.", ["counter"]),
        ("Step #3", ["counter"]),
        ("[Context: 83% used. You can call compact_context.]", ["usage"]),
        ("- Tokens: 97,234 / 200,000 used (48%)", ["usage"]),
        ("cwd: /tmp/run-8KqZ2", ["temporary"]),
    ],
)
def test_each_kind_is_found(text: str, kinds: list[str]) -> None:
    assert kinds_of(text) == kinds
    assert set(kinds) <= set(KINDS)


@pytest.mark.parametrize(
    "text",
    [
        "Use Python 3.11 and port 8080.", "Line 162 of working_memory.rs", "Version 1.2.3, RFC 9110",
        "Write the message in 3 sentences.", "between 10:30 and 11:00", "ISO 8601 dates, as in YYYY-MM-DD",
        "a sha of 40 hex digits", "80% of the window",
    ],
)  # fmt: skip
def test_what_stays_is_not(text: str) -> None:
    assert kinds_of(text) == []


def test_only_the_cached_part_is_searched() -> None:
    date = "It is 2026-11-22."
    sections = [PromptSection(name, date) for name in ("base", "memories", "skills", "scratchpad", "status")]
    assert [finding.section for finding in find_volatile_text(build_prompt(sections))] == ["base", "memories"]


def test_places_are_in_order_whatever_the_kind() -> None:
    text = "turn 1\nat 20:06:08 on 2026-11-22\n\nturn 2"
    found = find_volatile_text(build_prompt([PromptSection("base", text)]))
    assert [finding[2:] for finding in found] == [
        (1, 1, "turn 1"), (2, 4, "20:06:08"), (2, 16, "2026-11-22"), (4, 1, "turn 2"),
    ]  # fmt: skip


def test_the_place_is_that_in_the_section() -> None:
    (finding,) = find_volatile_text(build_prompt([PromptSection("base", "a\n\nbc 2026-11-22\n")]))
    assert (finding.line, finding.column, finding.text) == (3, 4, "2026-11-22")


WORDS = st.lists(st.sampled_from(["alpha", " beta", "\n", " 12", "ä", "a", "."]), max_size=30).map("".join)


@cache
def count(text: str) -> int:
    return tokens.load_tokenizer(find_vocabulary("o200k"))(text)


def test_the_first_differing_token_is_found() -> None:
    """ "You are careful." has 4 tokens, the newline may join the last."""
    old, new = "You are careful.\nToday is Monday.\n", "You are careful.\nToday is Tuesday.\n"
    difference = find_difference(old, new, count)
    assert (difference.characters, difference.line) == (new.index("Tuesday"), 2)
    assert difference.token == count("You are careful.\nToday is") + 1
    assert difference.cached_tokens + difference.rewritten_tokens == count(new)


def test_a_token_that_grows_is_not_the_same() -> None:
    difference = find_difference("the cat", "the category", count)
    assert (difference.token, difference.cached_tokens) == (2, 1)


def test_only_what_a_breakpoint_ends_is_cached() -> None:
    old, new = "One two three.\nFour five.\nSix.\n", "One two three.\nFour five.\nSeven.\n"
    assert find_difference(old, new, count, breakpoints=(15,)).cached_tokens == count("One two three.\n")
    assert find_difference(old, new, count, breakpoints=()).cached_tokens == 0
    assert find_difference(old, new, count, minimum=1024).cached_tokens == 0


def test_the_same_prompt_is_read_from_the_cache() -> None:
    difference = find_difference("the same", "the same", count)
    assert (difference.characters, difference.rewritten_tokens) == (-1, 0)
    assert difference.cost_ratio(CachePrices()) == 1.0


def test_a_change_at_the_beginning_costs_12_and_a_half_times_as_much() -> None:
    difference = find_difference("x the rest", "y the rest", count)
    assert difference.cached_tokens == 0
    assert difference.cost_ratio(CachePrices()) == pytest.approx(12.5)


@given(WORDS, WORDS, WORDS)
def test_tokens_are_kept_or_written(prefix: str, old: str, new: str) -> None:
    difference = find_difference(prefix + old, prefix + new, count)
    assert 0 <= difference.cached_tokens <= count(prefix + new) or difference.rewritten_tokens == 0
    if prefix + old == prefix + new:
        assert difference.characters == -1
    else:
        at = difference.characters
        assert (prefix + old)[:at] == (prefix + new)[:at]
        assert (prefix + old)[at : at + 1] != (prefix + new)[at : at + 1]
