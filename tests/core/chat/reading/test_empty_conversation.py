"""A conversation without messages is empty in every format."""

import pytest

from ctxkit.core.chat.reading.empty_conversation import EMPTY_BYTES, is_empty_conversation


@pytest.mark.parametrize("data", [b"", b" \n", b"[]", b'{"messages": []}', b'{"model": "m", "contents": []}'])
def test_a_request_without_messages_is_empty(data):
    assert is_empty_conversation(data)


@pytest.mark.parametrize(
    "data", [b"{}", b"[1]", b'{"tools": []}', b'{"messages": [{}]}', b"[" * 9999, b"[]" + b" " * EMPTY_BYTES]
)
def test_anything_else_is_not_empty(data):
    assert not is_empty_conversation(data)
