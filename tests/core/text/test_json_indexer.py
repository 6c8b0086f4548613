import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.json_cursor import JsonCursor
from ctxkit.core.text.json_index import JsonIndex
from ctxkit.core.text.json_indexer import build_json_index, decode_elements
from ctxkit.core.text.json_value import LargeString


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
