"""Text that changes from turn to turn."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.compact.policy import CachePrices
from ctxkit.core.prompt.builder import PromptSection, build_prompt
from ctxkit.core.prompt.volatile import KINDS, find_difference, find_volatile_text
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines import tokens


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
