"""A table finds each of its tokens, nothing else, and refuses damaged bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.tokens.rank_table import ABSENT, RankTable, build_table

TOKENS = [b"a", b"b", b"ab", b"\xff", b" the", b"\0"]


def test_ranks_are_the_order_of_the_tokens_from_one() -> None:
    table = RankTable(build_table(TOKENS))
    assert [table.find_rank(token) for token in TOKENS] == [1, 2, 3, 4, 5, 6]


@given(st.lists(st.binary(min_size=1, max_size=4), unique=True, max_size=40), st.binary(max_size=5))
def test_a_table_has_its_tokens_and_no_others(tokens: list[bytes], word: bytes) -> None:
    table = RankTable(build_table(tokens))
    assert [table.find_rank(token) for token in tokens] == list(range(1, len(tokens) + 1))
    assert table.find_rank(word) == (tokens.index(word) + 1 if word in tokens else ABSENT)


def test_an_empty_table_has_no_token() -> None:
    assert RankTable(build_table([])).find_rank(b"a") == ABSENT


@given(st.data())
def test_a_table_with_a_changed_byte_is_refused(data: st.DataObject) -> None:
    table = bytearray(build_table(TOKENS))
    table[data.draw(st.integers(0, len(table) - 1))] ^= data.draw(st.integers(1, 255))
    with pytest.raises(ValueError, match=r"^(not a table|the table is damaged)"):
        RankTable(bytes(table))


@given(st.integers(0, len(build_table(TOKENS)) - 1))
def test_a_table_that_ends_early_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=r"^(not a table|the table ends early)"):
        RankTable(build_table(TOKENS)[:size])
