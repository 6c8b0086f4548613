"""Values are read from documents, lines and events."""

import json

import pytest

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.usage.stream import read_values


def read(data):
    return list(read_values(data, json.loads, "it"))


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'{"a": 1}', [{"a": 1}]),
        (b'[{"a": 1},\n {"a": 2}]\n', [[{"a": 1}, {"a": 2}]]),
        (b'\xef\xbb\xbf{"a": 1}', [{"a": 1}]),
        (b'{"a": 1}\n\n{"a": 2}\r\n', [{"a": 1}, {"a": 2}]),
        (b'data: {"a": 1}\n\ndata: [DONE]\n\n', [{"a": 1}]),
        (b'event: x\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: ping\n\ndata:{"a": 2}', [{"a": 1}, {"a": 2}]),
        (b" " * 9000 + b': relay\r\r' + b'data: {"a": 1}\r\rdata: [DONE]\r\r', [{"a": 1}]),
        (b'HTTP/1.1 200 OK\r\nServer: x\r\n\r\n{"a": 1}', [{"a": 1}]),
        (b'HTTP/1.1 100 Continue\r\n\r\nHTTP/2 200\r\nServer: x\r\n\r\ndata: {"a": 1}\n\n', [{"a": 1}]),
    ],
)
def test_values_are_read(data: bytes, found) -> None:
    assert read(data) == found


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'{"a": 1}\n{"a": \n{"a": 3}\n', 2),
        (b'data: {"a": 1}\n\ndata: {"a"\n\ndata: {"a": 1}\n\n', 3),
        (b'HTTP/1.1 200 OK\r\n\r\n{"a": 1}\n{"a"\n', 4),
        (b'{\n  "a": 1,\n}', 3),
        (b"hello\nworld\n", 1),
    ],
)
def test_a_line_that_is_broken_is_named(data: bytes, line: int) -> None:
    with pytest.raises(MalformedInputError, match=f"line {line} "):
        read(data)


def test_a_last_line_that_is_cut_off_is_left_out() -> None:
    assert read(b'{"a": 1}\n{"a": 2}\n{"a"') == [{"a": 1}, {"a": 2}]


def test_nothing_is_said_to_be_nothing() -> None:
    with pytest.raises(MalformedInputError, match="empty"):
        read(b" \n")
