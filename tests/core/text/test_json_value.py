"""Values that are too large to hold say how large they are."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.json_value import (
    ALWAYS_FITS,
    SURROGATE,
    LargeArray,
    LargeObject,
    LargeString,
    estimate_memory,
    fits_memory,
    make_strict_json,
    replace_surrogates,
)


def test_a_large_string_has_the_length_of_the_whole_and_the_text_of_its_beginning() -> None:
    text = LargeString.make("abc", 5_000_000)
    assert (len(text), text == "abc", text[:2], f"{text}") == (5_000_000, True, "ab", "abc")
    assert isinstance(text, str)


def test_a_large_object_and_a_large_array_have_the_number_of_all_members() -> None:
    members, elements = LargeObject(a=1, b=2), LargeArray([1, 2, 3])
    assert (len(members), len(elements)) == (0, 0)
    members.length, elements.length = 70_000, 90_000
    assert (len(members), len(elements)) == (70_000, 90_000)
    assert (list(members), list(elements)) == (["a", "b"], [1, 2, 3])
    assert (members["b"], elements[2]) == (2, 3)


def test_sizes_belong_to_the_value_and_not_to_its_type() -> None:
    first, second = LargeObject(a=1), LargeObject(b=2)
    first.length = 9
    assert len(second) == 0
    assert json.dumps(LargeString.make("x", 9)) == '"x"'


def test_comments_and_last_commas_become_blanks() -> None:
    assert make_strict_json('[1, // no\n 2,]') == "[1,      \n 2 ]"
    assert make_strict_json('{"a": 1, /* x\ny */ }') == '{"a": 1      \n     }'


def test_what_stands_in_strings_stays() -> None:
    text = '{"a//b": "/* c */", "d": ",]", "e": "\\"//"}'
    assert make_strict_json(text) == text


def test_a_comment_without_an_end_goes_to_the_end() -> None:
    assert make_strict_json("[1] /* a\nb") == "[1]     \n "
    assert len(make_strict_json("[/*" * 50_000)) == 150_000


@pytest.mark.slow
@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_strict_json_stays_as_it_is(value) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=1)):
        assert make_strict_json(text) == text


@given(st.text('"\\/*,]} \n'))
def test_lines_and_length_stay(text: str) -> None:
    assert len(make_strict_json(text)) == len(text)
    assert make_strict_json(text).count("\n") == text.count("\n")


@given(st.text(st.characters()))
def test_only_half_pairs_are_replaced(text: str) -> None:
    found = replace_surrogates(text)
    assert len(found) == len(text)
    assert not SURROGATE.search(found)
    assert all(new == old or (new == "\ufffd" and SURROGATE.match(old)) for new, old in zip(found, text, strict=True))


values = st.recursive(
    st.none() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=30,
)


def measure(value):
    size = sys.getsizeof(value)
    if isinstance(value, dict):
        return size + sum(map(measure, value.values()))
    return size + sum(map(measure, value)) if isinstance(value, list) else size


@given(st.lists(values, min_size=1))
def test_bytes_and_text_have_the_same_estimate(value) -> None:
    text = json.dumps(value)
    assert estimate_memory(text) == estimate_memory(text.encode())


@pytest.mark.parametrize("value", [[[]] * 1_000, [{"a": 1}] * 1_000, ["ab"] * 1_000, list(range(1_000))])
def test_the_estimate_is_not_far_below_the_size_of_the_values(value) -> None:
    parsed = json.loads(json.dumps(value))
    assert measure(parsed) <= 1.3 * estimate_memory(json.dumps(value))


def test_a_short_text_always_fits() -> None:
    assert fits_memory("[],", 0)
    assert fits_memory("[" * ALWAYS_FITS, 0)
    assert not fits_memory("[," * ALWAYS_FITS, 1_000)
    assert fits_memory(b" " * (ALWAYS_FITS + 1), 2 * ALWAYS_FITS)
