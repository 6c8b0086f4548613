import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.jsonc import parse_jsonc

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, 2, "\t"]))
def test_json_is_read_as_its_parser_reads_it(value: object, indent: int | str | None) -> None:
    assert parse_jsonc(json.dumps(value, indent=indent)).make_value() == value


def test_comments_trailing_commas_and_a_byte_order_mark_are_allowed() -> None:
    text = '\ufeff// first\n{ /* a */ "a" /* b */ : [1, 2,], // "x": 1\n "b": {"c": null,}, }\n/* end **/'
    node = parse_jsonc(text)
    assert node.make_value() == {"a": [1, 2], "b": {"c": None}}
    inner = node.find("b", "c")
    assert inner is not None
    assert text[inner.start : inner.end] == "null"
    assert node.find("b", "x", "y") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON: line 1, column 1"),
        ("{", "is not JSON: line 1, column 2"),
        ('{"a" 1}', "is not JSON: line 1, column 6"),
        ('{\n  "a": 1\n  "b": 2}', "is not JSON: line 3, column 3"),
        ('{"a": 1} x', "is not JSON: line 1, column 10"),
        ("{a: 1}", "is not JSON: line 1, column 2"),
        ('{"a": 1, "a": 2}', "has the key 'a' twice"),
        ('{"a": \'x\'}', "is not JSON: line 1, column 7"),
        ('["\\x"]', "is not JSON: line 1, column 2"),
        ("[1,,2]", "is not JSON: line 1, column 4"),
        ("{} /* open", "is not JSON: line 1, column 4"),
        ("[" * 200 + "]" * 200, "is nested deeper than 100 levels"),
    ],
)
def test_what_is_no_json_is_named_by_its_place(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as error:
        parse_jsonc(text)
    assert str(error.value) == message


@given(st.text(alphabet='{}[]",:/*\\n\n 1at', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        node = parse_jsonc(text)
    except ValueError:
        return
    assert 0 <= node.start < node.end <= len(text)
