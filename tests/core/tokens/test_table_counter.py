"""Short texts are counted with the table; the library counts from the first text that is too long or unknown."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.tokens import table_counter
from ctxkit.core.tokens.table_counter import (
    ABSENT,
    MAX_CHARACTERS,
    PATTERNS,
    RankTable,
    TableCounter,
    UnknownCharacterError,
    build_table,
    count_merged,
    make_splitter,
)

TABLE = RankTable(build_table([*(bytes([byte]) for byte in range(256)), b"ab", b" ab", b"abab"]))


class Library:
    """Counts each text as 1,000 tokens, and knows what it has counted."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def load(self):
        return lambda text: self.texts.append(text) or 1000


def make_counter(library: Library, table: RankTable | None = TABLE) -> TableCounter:
    return TableCounter(make_splitter("qwen3"), lambda: table, library.load)


def test_words_are_counted_as_tokens_or_as_what_merging_leaves() -> None:
    library = Library()
    count = make_counter(library)
    assert count("ab") == 1
    assert count("ab ab") == 2
    assert count("ababab x") == 4  # abab and ab; a space and x
    assert count("é") == 2
    assert count("") == 0
    assert library.texts == []


def test_the_library_counts_from_the_first_text_that_makes_all_of_them_too_long() -> None:
    library = Library()
    count = make_counter(library)
    assert count("1" * (MAX_CHARACTERS - 2)) == MAX_CHARACTERS - 2
    assert count("ab") == 1
    assert count("a") == 1000
    assert count("") == 1000
    assert library.texts == ["a", ""]


@pytest.mark.parametrize("text", ["\u0378", "ab \u017f"])
def test_the_library_counts_characters_that_are_not_known(text: str) -> None:
    library = Library()
    assert make_counter(library)(text) == 1000


def test_the_library_counts_words_that_take_long_to_merge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_counter, "MAX_SQUARES", 100)
    library = Library()
    count = make_counter(library)
    assert count("x" * 10) == 10
    assert count("x" * 10) == 10  # a known word takes no time
    assert count("ab ab") == 2  # nor does a token
    assert library.texts == []
    assert count("xx") == 1000


def test_without_a_table_the_library_counts() -> None:
    library = Library()
    assert make_counter(library, None)("ab") == 1000


def test_a_lone_surrogate_is_left_to_the_caller() -> None:
    with pytest.raises(UnicodeEncodeError):
        make_counter(Library())("a\ud800")


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


WORDS = {
    "qwen3": ["I", "'ll", " pay", " ", "1", "2", "3", "4", " $\n\n", "  ", " été", " 字", "!!\n"],
    "llama3": ["I", "'ll", " pay", " ", "123", "4", " $\n\n", "  ", " été", " 字", "!!\n"],
    "o200k": ["I'll", " pay", " ", "123", "4", " $\n\n", "  ", " été", " 字", "!!\n"],
    "deepseek_v3": ["I", "'ll", " pay", " ", "123", "4", " $\n\n", "  ", " été", " ", "字", "!!\n"],
}


@pytest.mark.parametrize("ranks", WORDS)
def test_a_text_is_split_as_the_pattern_says(ranks: str) -> None:
    assert make_splitter(ranks)("I'll pay 1234 $\n\n   été 字!!\n") == WORDS[ranks]


def test_cl100k_takes_blanks_at_the_end_together_and_lines_one_by_one() -> None:
    assert make_splitter("cl100k")("a\n\n b  \n c  \n ") == ["a", "\n\n", " b", "  \n", " c", "  \n "]


def test_case_splits_words_of_o200k_and_mistral() -> None:
    assert make_splitter("o200k")("camelCase HTTPServer") == ["camel", "Case", " HTTPServer"]
    assert make_splitter("mistral_v3")("ÄÖÜber 12") == ["ÄÖÜber", " ", "1", "2"]


@pytest.mark.parametrize("ranks", PATTERNS)
@given(text=st.text(st.characters(codec="utf-8", exclude_categories=["Cn"], exclude_characters="\u017f")))
def test_words_join_to_the_text(ranks: str, text: str) -> None:
    assert "".join(make_splitter(ranks)(text)) == text


@pytest.mark.parametrize("character", ["\u017f", "\u0378", "\U000e0080"])
def test_a_character_that_the_library_may_know_better_is_not_split(character: str) -> None:
    with pytest.raises(UnknownCharacterError):
        make_splitter("qwen3")(f"a{character}")


def test_a_later_version_of_unicode_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unicodedata, "unidata_version", f"{table_counter.UNICODE + 1}.0.0")
    assert make_splitter("qwen3")("ascii") == ["ascii"]
    with pytest.raises(UnknownCharacterError):
        make_splitter("qwen3")("é")
