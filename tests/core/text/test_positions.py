import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.positions import (
    InvalidJsonError,
    JsonMember,
    JsonPositions,
    JsonTooDeepError,
    decode_partial,
    decode_value,
    has_mostly_lines,
    measure_depth,
    read_members,
    read_values,
)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


def root(text):
    return JsonMember(None, 0, 0, len(text))


@given(values, st.sampled_from([None, 1, 4]))
def test_members_are_those_that_the_standard_library_reads(value, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    if isinstance(value, dict):
        assert {member.key: item for member, item in read_members(text, 0)} == value
    elif isinstance(value, list):
        assert [item for _, item in read_members(text, 0)] == value


@pytest.mark.slow
@given(st.dictionaries(st.text(min_size=1), values, min_size=1, max_size=6))
def test_the_line_of_a_key_is_the_one_that_begins_with_it(value) -> None:
    text = json.dumps(value, indent=1)
    places = JsonPositions(text)
    lines = text.split("\n")
    for member in places.members(0):
        assert lines[places.line(member.at) - 1].startswith(f" {json.dumps(member.key)}: ")
        assert json.loads(text[member.start : member.end]) == value[member.key]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.data())
def test_bytes_are_counted_as_they_are_stored(text: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(text)))
    assert JsonPositions(text).byte(position) == len(text[:position].encode())


def test_bytes_that_are_no_utf8_count_one_each() -> None:
    text = b'["\xff\xfe", 1]'.decode("utf-8", "surrogateescape")
    assert JsonPositions(text).byte(text.index("1")) == 7


@pytest.mark.slow
@given(st.dictionaries(st.text(), values, min_size=1), st.data())
def test_of_json_cut_anywhere_what_came_before_is_read(value, data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    with pytest.raises(InvalidJsonError):
        decode_value(cut, 0)
    read, _ = decode_partial(cut, 0)
    assert list(value)[: len(read)] == list(read)


def test_the_path_to_the_break_is_named() -> None:
    read, path = decode_partial('{"a": [1, {"b": {"c": 2, "d": tru', 0)
    assert path == ["a", 1, "b", "d"]
    assert read == {"a": [1, {"b": {"c": 2}}]}


def test_a_missing_comma_is_where_the_comma_should_be() -> None:
    with pytest.raises(InvalidJsonError) as broken:
        list(read_members('{"a": 1 "b": 2}', 0))
    assert broken.value.position == 8


def test_what_is_nested_too_deeply_is_told_apart_from_what_is_broken() -> None:
    with pytest.raises(JsonTooDeepError):
        decode_value("[" * 200_000, 0)
    assert measure_depth("[" * 200_000) == 200_000
    assert measure_depth('{"[[[": [1, {"a": "]"}]}') == 3


def test_integers_of_any_length_are_read() -> None:
    value, end = decode_value("9" * 5_000, 0)
    assert (len(f"{value:x}") > 4_000, end) == (True, 5_000)
    assert decode_value("[" + "9" * 1_000_000 + "]", 0)[1] == 1_000_002


def test_find_follows_keys_numbers_and_any_member() -> None:
    text = '{"items": [{"v": 1}, {"v": 7, "w": {"x": 7}}]}'
    places = JsonPositions(text)
    assert places.find(root(text), ["items", 1, "w", "x"]).start == text.rindex("7")
    assert places.find(root(text), ["items", None, "v"], lambda value: value == 7).start == text.index("7")
    assert places.find(root(text), ["items", 0, "w"]) is None


OBJECTS = st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=3) | st.integers(), max_size=3), min_size=1, max_size=5)


@given(OBJECTS, st.sampled_from([None, 1]), st.sampled_from(["\n", "\r\n", " ", "", "\n\n\t"]))
def test_however_values_are_laid_out_they_are_found(values, indent: int | None, between: str) -> None:
    text = between.join(json.dumps(value, indent=indent) for value in values)
    rows = list(read_values(text, 0, "it", skip_bad=False))
    assert [row.value for row in rows] == values
    assert [json.loads(text[row.start : row.end]) for row in rows] == values
    assert [row.line for row in rows] == [text.count("\n", 0, row.start) + 1 for row in rows]


def test_what_breaks_a_stream_is_named_or_its_lines_are_bad() -> None:
    text = '{"a": 1} {"a": 2}\n{"a": 3\n{"a": 4}\n'
    with pytest.raises(MalformedInputError, match="it: line 3 is not JSON"):
        read_values(text, 0, "it", skip_bad=False)
    rows = list(read_values(text, 0, "it", skip_bad=True))
    assert [(row.line, row.is_valid, row.value) for row in rows] == [(1, False, None), (2, False, None), (3, True, {"a": 4})]


@pytest.mark.parametrize(
    ("text", "lines"),
    [('{}\n{\n{}', True), ("{}\n{\n", False), ('[\n{}\n]', False), ("1\n2\n", False), ("\n\n{}\n", True), ("{} x\n", False)],
)
def test_lines_are_told_from_other_content(text: str, lines: bool) -> None:
    assert has_mostly_lines(text, 0) is lines
