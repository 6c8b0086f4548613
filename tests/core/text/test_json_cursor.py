import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.text.json_cursor import PREFIX, JsonCursor
from ctxkit.core.text.positions import InvalidJsonError


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
