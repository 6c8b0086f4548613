"""Merges happen in the order of ranks, and of equal ranks from left to right."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.tokens.byte_pairs import count_merged
from ctxkit.core.tokens.rank_table import ABSENT

RANKS = {token: rank for rank, token in enumerate([b"a", b"b", b"c", b"ab", b"bc", b"abc", b"aa"])}


def find_rank(token: bytes) -> int:
    return RANKS.get(token, ABSENT)


def test_the_pair_of_the_lowest_rank_is_merged_first() -> None:
    assert count_merged(b"abc", find_rank) == 1  # ab, then abc
    assert count_merged(b"bcab", find_rank) == 2  # ab first, then bc
    assert count_merged(b"cba", find_rank) == 3


def test_of_equal_pairs_the_first_is_merged() -> None:
    assert count_merged(b"aaa", find_rank) == 2
    assert count_merged(b"aaab", find_rank) == 2  # ab has a lower rank than aa


def test_a_byte_is_a_token_and_nothing_is_none() -> None:
    assert count_merged(b"x", find_rank) == 1
    assert count_merged(b"", find_rank) == 0


@given(st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=12))
def test_the_count_is_that_of_merging_one_pair_after_the_other(letters: list[bytes]) -> None:
    parts = list(letters)
    while pairs := [(find_rank(parts[at] + parts[at + 1]), at) for at in range(len(parts) - 1)]:
        rank, at = min(pairs)
        if rank == ABSENT:
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    assert count_merged(b"".join(letters), find_rank) == len(parts)
