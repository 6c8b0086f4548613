"""The names that options offer are those of the formats."""

import pkgutil

import pytest

from ctxkit.core.chat import formats
from ctxkit.core.chat.reading.format_names import EMPTY_BYTES, FORMAT_NAMES, is_empty_conversation
from ctxkit.core.chat.reading.format_registry import get_format


def test_each_name_is_a_format_and_stands_once() -> None:
    assert len(set(FORMAT_NAMES)) == len(FORMAT_NAMES)
    modules = {f"{formats.__name__}.{module.name}" for module in pkgutil.iter_modules(formats.__path__)}
    assert {get_format(name).__name__ for name in FORMAT_NAMES} <= modules  # type: ignore[attr-defined]


@pytest.mark.parametrize("data", [b"", b" \n", b"[]", b'{"messages": []}', b'{"model": "m", "contents": []}'])
def test_a_request_without_messages_is_empty(data):
    assert is_empty_conversation(data)


@pytest.mark.parametrize(
    "data", [b"{}", b"[1]", b'{"tools": []}', b'{"messages": [{}]}', b"[" * 9999, b"[]" + b" " * EMPTY_BYTES]
)
def test_anything_else_is_not_empty(data):
    assert not is_empty_conversation(data)
