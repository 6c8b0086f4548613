"""Text is split before it is merged: the patterns of each family."""

import re

import pytest
from tokenizers import Regex
from tokenizers.pre_tokenizers import Split

from ctxkit.engines.tokens import patterns
from ctxkit.engines.tokens.patterns import check_merges, make_pre_tokenizer


def split(pattern, text):
    return [piece for piece, _ in Split(Regex(pattern), "isolated").pre_tokenize_str(text)]


@pytest.mark.parametrize(
    ("pattern", "pieces"),
    [
        (patterns.CL100K, ["It", "'s", " ", "123", "45", " tests", "!!", "\n\n", "  ", " ok"]),
        (patterns.QWEN2, ["It", "'s", " ", "1", "2", "3", "4", "5", " tests", "!!", "\n\n", "  ", " ok"]),
        (patterns.O200K, ["It's", " ", "123", "45", " tests", "!!\n\n", "  ", " ok"]),
        (patterns.TEKKEN, ["It", "'s", " ", "1", "2", "3", "4", "5", " tests", "!!\n\n", "  ", " ok"]),
    ],
)
def test_a_family_splits_contractions_numbers_and_blanks_in_its_way(pattern, pieces) -> None:
    found = split(pattern, "It's 12345 tests!!\n\n   ok")
    assert "".join(found) == "It's 12345 tests!!\n\n   ok"
    numbers = [piece for piece in pieces if piece.isdigit()]
    assert [piece for piece in found if piece.isdigit()] == numbers


@pytest.mark.parametrize("name", ["CL100K", "QWEN2", "O200K", "TEKKEN", "O200K_CPP", "TEKKEN_CPP"])
def test_no_character_is_lost(name: str) -> None:
    text = "Straße 漢字 naïve\tx\r\n  'll I'LL 1/2 \u0301 --flag_a.b\n"
    assert "".join(split(getattr(patterns, name), text)) == text


def test_the_pre_tokenizer_splits_by_each_pattern_and_then_by_bytes() -> None:
    several = make_pre_tokenizer(patterns.DEEPSEEK)
    assert [step["type"] for step in several["pretokenizers"]] == ["Split", "Split", "Split", "ByteLevel"]
    assert make_pre_tokenizer(None)["use_regex"] is True


def test_a_merge_of_unknown_tokens_is_refused() -> None:
    check_merges({"ab", "a", "b"}, ["a b", ["a", "b"]])
    for merge in ("a c", "ab", ["a"], "a b c"):
        with pytest.raises(ValueError, match=re.escape("not a merge")):
            check_merges({"ab", "abc"}, [merge])
