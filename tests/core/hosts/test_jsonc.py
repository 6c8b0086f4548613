import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.jsonc import append_item, parse_jsonc, remove_value, set_member

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


LEAVES = st.none() | st.integers(0, 99) | st.text("abc", max_size=3)
OBJECTS = st.dictionaries(
    st.text("abcxyz", min_size=1, max_size=3),
    LEAVES | st.lists(LEAVES, max_size=3) | st.dictionaries(st.text("ab", max_size=2), LEAVES, max_size=3),
    max_size=4,
)
STYLES = st.sampled_from([None, 2, 4, "\t"])
GROUP = {"matcher": "Bash", "hooks": [{"type": "command", "command": "/bin/ctxkit"}]}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "env": {\n    "P": "x"\n  }\n}\n'),
        ("\ufeff\n", '\ufeff\n{\n  "env": {\n    "P": "x"\n  }\n}\n'),
        ('{"a": 1}\n', '{"a": 1, "env": {"P": "x"}}\n'),
        ('{"env": {"P": "y"}}', '{"env": {"P": "x"}}'),
        ('{\r\n\t"a": 1\r\n}', '{\r\n\t"a": 1,\r\n\t"env": {\r\n\t\t"P": "x"\r\n\t}\r\n}'),
        (
            '{\n    // mine\n    "env": {\n        "A": "b", // last\n    },\n}',
            '{\n    // mine\n    "env": {\n        "A": "b", // last\n        "P": "x"\n    },\n}',
        ),
        (
            '{\n  "a": 1 // one\n}',
            '{\n  "a": 1, // one\n  "env": {\n    "P": "x"\n  }\n}',
        ),
    ],
)
def test_a_member_is_added_in_the_style_of_the_file(before: str, after: str) -> None:
    assert set_member(before, ["env", "P"], "x") == after
    assert set_member(after, ["env", "P"], "x") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1, "P": 2}', '{"a": 1}'),
        ('{"P": 2, "a": 1}', '{ "a": 1}'),
        ('{"a": 1, "P": 2, "b": 3}', '{"a": 1, "b": 3}'),
        ('{\n  "P": 2\n}', "{}"),
        ('{\n  "a": 1, // one\n  "P": 2\n}', '{\n  "a": 1 // one\n}'),
        ('{\n  "a": 1,\n  "P": 2, // mine\n  "b": 3\n}', '{\n  "a": 1, // mine\n  "b": 3\n}'),
        ('{\n  "a": 1,\n  "P": 2,\n}', '{\n  "a": 1,\n}'),
        ('{\n  // kept\n  "P": 2\n}', '{\n  // kept\n}'),
        ('{"a": 1}', '{"a": 1}'),
        ('{"a": [1]}', '{"a": [1]}'),
    ],
)
def test_a_member_goes_with_one_comma(before: str, after: str) -> None:
    assert remove_value(before, ["P"]) == after
    parse_jsonc(after)


@given(OBJECTS, STYLES)
def test_what_is_added_is_all_that_changes_and_all_that_goes(value: dict[str, object], indent: int | str | None) -> None:
    text = json.dumps(value, indent=indent)
    changed = set_member(text, ["Env", "P"], "x")
    assert parse_jsonc(changed).make_value() == {**value, "Env": {"P": "x"}}
    hooked = append_item(changed, ["Hooks", "After"], GROUP)
    assert parse_jsonc(hooked).make_value() == {**value, "Env": {"P": "x"}, "Hooks": {"After": [GROUP]}}
    two = append_item(hooked, ["Hooks", "After"], "theirs")
    assert parse_jsonc(remove_value(two, ["Hooks", "After"], 0)).make_value()["Hooks"] == {"After": ["theirs"]}
    without = remove_value(remove_value(hooked, ["Hooks"]), ["Env"])
    assert parse_jsonc(without).make_value() == value
    assert without == text or not value or (indent is not None and without.split() == text.split())


@given(OBJECTS, STYLES, st.data())
def test_any_member_and_any_item_can_go(value: dict[str, object], indent: int | str | None, data: st.DataObject) -> None:
    text = json.dumps({**value, "last": [1, 2, 3]}, indent=indent)
    key = data.draw(st.sampled_from([*value, "last"]))
    expected = {name: inner for name, inner in {**value, "last": [1, 2, 3]}.items() if name != key}
    assert parse_jsonc(remove_value(text, [key])).make_value() == expected
    item = data.draw(st.integers(0, 4))
    rest = [number for number in (1, 2, 3) if number != item + 1]
    assert parse_jsonc(remove_value(text, ["last"], item)).make_value()["last"] == rest


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("[]", ["env", "P"], "has no object at its root"),
        ('{"env": 1}', ["env", "P"], "has no object at env"),
        ("{", ["env", "P"], "is not JSON: line 1, column 2"),
    ],
)
def test_a_file_of_another_shape_is_refused(text: str, path: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        set_member(text, path, "x")


def test_a_value_that_is_no_array_takes_no_item() -> None:
    with pytest.raises(ValueError, match=r"has no array at hooks\.After"):
        append_item('{"hooks": {"After": {}}}', ["hooks", "After"], 1)
