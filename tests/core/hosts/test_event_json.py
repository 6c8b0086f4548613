import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.event_json import MAX_EVENT, parse_event, read_text


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"5", b"\xff", b"[" * 100_000, b'{"a": "' + b"x" * MAX_EVENT + b'"}'])
def test_anything_but_an_object_is_an_empty_one(data: bytes) -> None:
    assert parse_event(data) == {}


@given(st.dictionaries(st.text(), st.none() | st.integers() | st.text()))
def test_members_that_are_strings_are_read(value) -> None:
    assert {key: read_text(value, key) for key in value} == {key: text if isinstance(text, str) else "" for key, text in value.items()}
    assert read_text({}, "a") == ""
