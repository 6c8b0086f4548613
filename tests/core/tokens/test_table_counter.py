"""Short texts are counted with the table; the library counts from the first text that is too long or unknown."""

import pytest

from ctxkit.core.tokens import table_counter
from ctxkit.core.tokens.rank_table import RankTable, build_table
from ctxkit.core.tokens.table_counter import MAX_CHARACTERS, TableCounter
from ctxkit.core.tokens.words import make_splitter

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
