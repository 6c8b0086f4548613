"""Words are those that the patterns of the vocabularies make; tests/engines/tokens/test_tables.py asks the libraries."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.tokens import words
from ctxkit.core.tokens.words import PATTERNS, UnknownCharacterError, make_splitter

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
    monkeypatch.setattr(unicodedata, "unidata_version", f"{words.UNICODE + 1}.0.0")
    assert make_splitter("qwen3")("ascii") == ["ascii"]
    with pytest.raises(UnknownCharacterError):
        make_splitter("qwen3")("é")
