"""Where two prompts differ, and what that costs."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.compact.policy import CachePrices
from ctxkit.core.prompt.difference import find_difference
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.engines import tokens

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
