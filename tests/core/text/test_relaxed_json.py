import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.relaxed_json import make_strict_json


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
