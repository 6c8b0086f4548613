import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.data.flows import Flow, balance, unquoted


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 'a, b', \"c\\n\", d e]", [1, "a, b", "c\n", "d e"]),
        ("{a: 1, 'b': [2, {c: ~}], d}", {"a": 1, "b": [2, {"c": None}], "d": None}),
        ("[a: 1, http://x/y:2]", [{"a": 1}, "http://x/y:2"]),
        ("[]", []),
        ("{a: 1", {"a": 1}),
        ("[1, 2}", [1, 2]),
    ],
)
def test_collections_are_read(text, value):
    assert Flow(text).value() == value


def test_tables_of_toml_have_equal_signs():
    assert Flow('{ a = "x:y", b = 1 }', mark="=").value() == {"a": "x:y", "b": 1}


def test_open_brackets_are_counted_but_for_quoted_ones():
    assert [balance(text, 0) for text in ("[{", "['[', 1]", 'a: "]" ]', "[ # ]", "it's ]")] == [2, 0, -1, 1, -1]


def test_quotes_are_undone():
    assert [unquoted(text) for text in ("'it''s'", '"a\\u0041\\\\"')] == ["it's", "aA\\"]


@given(st.text(alphabet="ab[]{},:='\" #\\", max_size=60))
def test_no_text_keeps_it_busy(text):
    Flow(text).value()
    Flow(text, mark="=").value()
    balance(text, 0)
