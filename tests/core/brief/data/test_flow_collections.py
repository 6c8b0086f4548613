import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.data.flow_collections import FlowParser, count_open_brackets, unquote


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
def test_collections_are_read(text: str, value) -> None:
    assert FlowParser(text).read_value() == value


def test_tables_of_toml_have_equal_signs() -> None:
    assert FlowParser('{ a = "x:y", b = 1 }', separator="=").read_value() == {"a": "x:y", "b": 1}


def test_open_brackets_are_counted_but_for_quoted_ones() -> None:
    assert [count_open_brackets(text, 0) for text in ("[{", "['[', 1]", 'a: "]" ]', "[ # ]", "it's ]")] == [2, 0, -1, 1, -1]


def test_quotes_are_undone() -> None:
    assert [unquote(text) for text in ("'it''s'", '"a\\u0041\\\\"')] == ["it's", "aA\\"]


@given(st.text(alphabet="ab[]{},:='\" #\\", max_size=60))
def test_no_text_keeps_it_busy(text: str) -> None:
    FlowParser(text).read_value()
    FlowParser(text, separator="=").read_value()
    count_open_brackets(text, 0)


@pytest.mark.parametrize("mark", [":", "="])
def test_keys_in_keys_stay_as_short_as_they_are_written(mark: str) -> None:
    text = "a"
    for _ in range(30):
        text = f"{{{text}{mark} 1}}"
    value = FlowParser(text, separator=mark).read_value()
    assert len(value) == 1
    assert len(repr(value)) < 2 * len(text)


def test_a_list_as_a_key_is_kept_as_it_is_written() -> None:
    assert FlowParser("{[a, b]: 1}").read_value() == {"[a, b]": 1}
    assert FlowParser("[[a, b]: 1]").read_value() == [{"[a, b]": 1}]


@pytest.mark.slow
def test_nesting_past_the_limit_ends() -> None:
    for text in ("[" * 100_000, "{" * 100_000, "[{" * 50_000, "{a: " * 50_000):
        assert len(repr(FlowParser(text).read_value())) < 10 * len(text)
