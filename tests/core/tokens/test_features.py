"""The numbers of each vocabulary belong to the features and their groups."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.tokens import features
from ctxkit.core.tokens.features import GROUPS, NAMES, WEIGHTS, count_features, feature_weights
from ctxkit.core.tokens.single_token_words import COMMON_CHARACTERS, COMMON_TOKENS


def found(text):
    """Return the features that a text has, by name."""
    return {name: times for name, times in zip(NAMES, count_features(text), strict=True) if times}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("the the The", {"known word": 3}),
        ("zqxj", {"word of 4": 1}),
        ("z" * 20, {"longer word": 1, "letters past 16": 4}),
        ("ABC", {"capitals of 3": 1, "letters of capitals": 3}),
        ("getZqxj", {"known word": 1, "inner word": 1, "word of 4": 1}),
        ("12345", {"number": 1, "digits": 5, "triples of digits": 2}),
        ("the 7", {"known word": 1, "number": 1, "digits": 1, "triples of digits": 1, "number after a space": 1}),
        (
            "ab12cd",
            {"pieces of mixed runs": 3, "letters of mixed runs": 4, "digits of mixed runs": 2, "triples of mixed runs": 1},
        ),
        ("_", {"mark _": 1}),
        ("==", {"double mark": 1}),
        ("=>", {"pair of marks": 1}),
        ("-----", {"repeated mark": 1, "marks repeated": 5}),
        ("});", {"run of marks": 1, "marks in runs": 3}),
        ("\n", {"line": 1}),
        ("\n\n", {"blank lines": 1}),
        ("\n\t\t", {"line": 1, "indent": 1, "tabs of indents": 2}),
        (" ", {}),
        (" " * 32, {"gap": 1, "width of long gaps": 1}),
        ("\x00\x07", {"control": 2}),
        ("é", {"accented word": 1, "letters of accented words": 1, "accented letter": 1}),
        ("привет мир", {"cyrillic word": 2, "cyrillic letter": 9}),
        ("鱻大かなカナ", {"han": 1, "common han": 1, "hiragana": 2, "katakana": 2}),
        ("한국어", {"hangul word": 1, "hangul": 3}),
        ("नमस्ते", {"devanagari word": 1, "devanagari letter": 6}),
        ("🙂", {"emoji": 1}),
        ("“the”", {"run of punctuation": 2, "punctuation": 2, "word of 3": 1}),
        ("\ufffd", {"replacement": 1}),
    ],
)
def test_a_text_is_made_of(text: str, expected) -> None:
    assert found(text) == expected


@given(st.text(), st.text())
def test_counts_of_lines_add_up(one: str, other: str) -> None:
    whole = count_features(f"{one}.\na{other}")
    parts = zip(count_features(f"{one}.\n"), count_features(f"a{other}"), strict=True)
    assert all(abs(total - sum(pair)) < 1e-9 for total, pair in zip(whole, parts, strict=True))


@given(st.text())
def test_nothing_is_counted_below_zero(text: str) -> None:
    assert min(count_features(text)) >= 0


def test_every_weight_has_its_feature_and_every_doubt_its_group() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for name in WEIGHTS:
        weights, below, above = feature_weights(name)
        assert (len(weights), len(below), len(above)) == (len(NAMES), len(GROUPS) + 1, len(GROUPS) + 1)
        assert min(*weights, *below, *above) >= 0


def test_known_words_are_lower_case_words_of_three_letters_or_more() -> None:
    assert len(COMMON_TOKENS) == 4000
    assert len(COMMON_CHARACTERS) == 1000
    assert all(word.isalpha() and word.islower() and len(word) >= 3 for word in COMMON_TOKENS)


@pytest.mark.parametrize("name", WEIGHTS)
def test_each_feature_has_a_weight_and_each_group_two_errors(name) -> None:
    weights, lower, upper = feature_weights(name)
    assert len(weights) == len(features.NAMES)
    assert len(lower) == len(upper) == len(features.GROUPS) + 1
    assert all(number >= 0 for numbers in (weights, lower, upper) for number in numbers)


def test_the_estimate_of_an_unknown_vocabulary_has_the_wider_band() -> None:
    _, _, known = feature_weights("o200k")
    _, _, unknown = feature_weights("estimate")
    assert all(wide > narrow for wide, narrow in zip(unknown, known, strict=True) if narrow < 1)


def test_an_unknown_vocabulary_has_no_weights() -> None:
    with pytest.raises(KeyError):
        feature_weights("none")
