import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.json_index import JsonIndex
from ctxkit.core.text.json_indexer import PREFIX, JsonCursor, build_json_index, decode_elements
from ctxkit.core.text.json_value import LargeString
from ctxkit.core.text.positions import InvalidJsonError


class Rebuilder:
    """Builds the documents again from what a listener receives."""

    def __init__(self) -> None:
        self.documents: list[Any] = []
        self.open: list[Any] = [self.documents]

    def open_value(self, parent, number, value) -> None:
        outer = self.open[-1]
        inner = {"[": list, "{": dict}.get(value.kind, lambda: value.string)()
        assert number == len(outer)
        if isinstance(outer, dict):
            outer[value.key] = inner
        else:
            outer.append(inner)
        self.open.append(inner)

    def add_elements(self, parent, number, values) -> None:
        assert number == len(self.open[-1])
        self.open[-1].extend(values)

    def add_members(self, parent, number, values) -> None:
        assert number == len(self.open[-1])
        self.open[-1].update(values)

    def close_value(self, value) -> None:
        inner = self.open.pop()
        assert value.string is not None or value.count == len(inner)


def index(text: str, window: int, large=12, step=10) -> tuple[JsonIndex, Rebuilder]:
    data = text.encode()
    rebuilder = Rebuilder()
    cursor = JsonCursor(lambda at, size: data[at : at + size], len(data), window=window, large=large)
    return build_json_index(cursor, len(data), 0, rebuilder, step=step), rebuilder


values = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 9_999) | st.text("abé", max_size=30),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text("xyz", max_size=3), inner, max_size=6),
    max_leaves=50,
)


@pytest.mark.slow
@given(st.lists(values, min_size=1, max_size=4), st.integers(1, 80), st.sampled_from([None, 1]))
def test_all_values_are_received_in_a_window_of_any_size(documents, window: int, indent: int | None) -> None:
    documents = [[document] for document in documents]
    text = "\n".join(json.dumps(document, indent=indent, ensure_ascii=False) for document in documents)
    result, rebuilder = index(text, window)
    assert result.broken is None
    assert rebuilder.documents == documents
    assert result.root.count == len(documents)
    assert result.root.end == len(text.encode())


@pytest.mark.slow
@given(st.lists(values, min_size=1, max_size=9), st.integers(1, 80))
def test_large_values_and_runs_have_their_bytes(value, window: int) -> None:
    text = json.dumps(value, ensure_ascii=False)
    result, _ = index(text, window)
    waiting = [(result.root.large[0], value)] if result.root.large else []
    while waiting:
        large, expected = waiting.pop()
        assert json.loads(text.encode()[large.start : large.end]) == expected
        if large.string is None:
            members = expected if isinstance(expected, list) else list(expected.values())
            assert sum(large.run_count(run) for run in range(len(large.numbers))) == large.count == len(members)
            waiting += [(inner, members[number]) for number, inner in large.large.items()]


def test_an_error_has_its_path() -> None:
    result, _ = index('{"a": [1, 2, {"b": [4, 5, 6, 7, 8, nope]}]}', 7)
    assert result.broken is not None
    assert (result.path, result.broken.position) == (("a", 2, "b", 5), 35)


def test_elements_decode_together_only_if_they_are_complete() -> None:
    assert decode_elements('1, "a", [2]') == [1, "a", [2]]
    for text in ("1], [2", '[1, 2', '"a, "b"', "1,", "{"):
        assert decode_elements(text) is None


def test_a_large_string_knows_its_length() -> None:
    string = LargeString.make("abc", 9_000_000)
    assert (len(string), string[:2]) == (9_000_000, "ab")


def cursor(data: bytes, window=8, large=16) -> JsonCursor:
    return JsonCursor(lambda at, size: data[at : at + size], len(data), window=window, large=large)


@given(st.text(min_size=20, max_size=400), st.integers(1, 60), st.booleans())
def test_a_large_string_has_its_length_and_its_beginning(text: str, window: int, escaped: bool) -> None:
    data = json.dumps(text, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    try:
        data.decode()
    except UnicodeDecodeError:
        return
    reader = cursor(data + b" x", window)
    assert reader.peek() == '"'
    string = reader.skip_string()
    assert (len(string), str(string)) == (len(text), text[:PREFIX])
    assert reader.byte(reader.at) == len(data)
    assert reader.peek() == "x"


@given(st.integers() | st.floats() | st.text(max_size=5) | st.none() | st.booleans(), st.integers(1, 30))
def test_values_are_complete_in_a_window_of_any_size(value, window: int) -> None:
    data = json.dumps(value).encode()
    reader = cursor(b"  " + data + b" , 1", window, large=400)
    reader.peek()
    assert repr(reader.decode()) == repr(json.loads(data))
    assert reader.byte(reader.at) == len(data) + 2


def test_a_large_value_is_left_alone() -> None:
    reader = cursor(b"[1, 2, 3, 4, 5, 6, 7, 8, 9]")
    assert reader.peek() == "["
    assert reader.decode() is ...
    assert reader.at == 0


@pytest.mark.parametrize(("data", "position"), [(b'"abc', 0), (b'"' + b"a" * 30 + b"\\q" + b"b" * 30 + b'"', 31)])
def test_a_string_that_breaks_has_its_place(data: bytes, position: int) -> None:
    reader = cursor(data)
    reader.peek()
    with pytest.raises(InvalidJsonError) as caught:
        reader.skip_string()
    assert caught.value.position == position
