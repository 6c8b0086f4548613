import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.jsonc import parse_jsonc
from ctxkit.core.hosts.jsonc_edit import append_item, remove_value, set_member

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
