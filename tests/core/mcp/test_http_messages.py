"""What a message says for its POST."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.mcp.http_messages import (
    EventParser,
    HttpMessage,
    ServerEvent,
    describe_line,
    encode_value,
    find_answered,
    find_marked_parameters,
    join_lines,
    make_error_line,
    mirror_request,
)

META = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}
CALL = {"id": 1, "method": "tools/call", "params": {"name": "sql", "arguments": {"region": "eu", "n": {"deep": 5, "yes": True}}, **META}}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"id": 1, "method": "ping"}, HttpMessage(("ping",), (1,))),
        ({"method": "notifications/initialized"}, HttpMessage(("notifications/initialized",), ())),
        ({"id": 1, "result": {}}, HttpMessage(("",), ())),
        (CALL, HttpMessage(("tools/call",), (1,), "2026-07-28")),
        ([{"id": 1, "method": "a"}, 5, {"method": "b"}, {"id": "2", "method": "c"}], HttpMessage(("a", "b", "c"), (1, "2"))),
        ({"method": "notifications/cancelled", "params": {"requestId": 4}}, HttpMessage(("notifications/cancelled",), (), cancelled=4)),
        ({"method": "notifications/cancelled", "params": {"requestId": []}}, HttpMessage(("notifications/cancelled",), ())),
        ({"id": None, "method": "x", "params": 7}, HttpMessage(("x",), ())),
        ({"id": 1, "method": 5}, HttpMessage(("",), ())),
        ([], HttpMessage((), ())),
        (None, HttpMessage((), ())),
    ],
)
def test_a_line_is_described(value: Any, message: HttpMessage) -> None:
    assert describe_line(value) == message


@pytest.mark.parametrize(
    ("message", "headers"),
    [
        ({"id": 1, "method": "tools/list", "params": META}, {"mcp-method": "tools/list"}),
        (CALL, {"mcp-method": "tools/call", "mcp-name": "sql", "Mcp-Param-Region": "eu", "Mcp-Param-Deep": "5", "Mcp-Param-Yes": "true"}),
        ({"method": "tools/call", "params": {"name": "é", **META}}, {"mcp-method": "tools/call", "mcp-name": "=?base64?w6k=?="}),
        ({"method": "tools/call", "params": {"name": "sql", "arguments": {"region": [1], "n": 5}, **META}}, {"mcp-method": "tools/call", "mcp-name": "sql"}),
        ({"method": "resources/read", "params": {"uri": "x:y", **META}}, {"mcp-method": "resources/read", "mcp-name": "x:y"}),
        ({"method": "prompts/get", "params": {"name": 5, **META}}, {"mcp-method": "prompts/get"}),
    ],
)
def test_headers_repeat_what_a_request_names(message: Any, headers: dict[str, str]) -> None:
    marked = {"sql": {"Region": ("region",), "Deep": ("n", "deep"), "Yes": ("n", "yes"), "Gone": ("gone", "more")}}
    assert dict(mirror_request(message, marked)) == {"mcp-protocol-version": "2026-07-28", **headers}


# The examples of the specification, "Value Encoding".
@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        ("us-west1", "us-west1"),
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("", ""),
        ("a b", "a b"),
    ],
)
def test_a_value_is_encoded_if_a_header_cannot_have_it(value: str, encoded: str) -> None:
    assert encode_value(value) == encoded


@given(st.text())
def test_no_value_ends_a_header(value: str) -> None:
    encoded = encode_value(value)
    assert encoded.isascii()
    assert encoded == encoded.strip()
    assert encoded.isprintable()


def test_parameters_that_a_schema_marks_are_found() -> None:
    properties = {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "n": {"type": "object", "properties": {"deep": {"type": "integer", "x-mcp-header": "Deep"}}},
        "bad": {"type": "string", "x-mcp-header": "a b\r\nHost: x"},
        "number": {"type": "number", "x-mcp-header": "N"},
        "list": {"type": "array", "items": {"type": "string", "x-mcp-header": "L"}},
        "odd": 5,
    }
    tools = [{"name": "sql", "inputSchema": {"properties": properties}}, {"name": "none"}, 5]
    assert find_marked_parameters({"tools": tools}) == {"sql": {"Region": ("region",), "Deep": ("n", "deep")}, "none": {}}
    assert find_marked_parameters({"tools": 5}) == {}


def test_answers_are_known_by_their_ids() -> None:
    result, error = {"id": 1, "result": {}}, {"id": "a", "error": {"code": 1}}
    lines: list[Any] = [result, error, {"id": None, "error": {}}, {"id": 2, "method": "ping"}, {"id": 3}, [result, error]]
    assert [find_answered(line) for line in lines] == [[(1, result)], [("a", error)], [], [], [], [(1, result), ("a", error)]]


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)), st.sampled_from([None, 1]))
def test_a_message_of_several_lines_is_one_with_the_same_value(value: Any, indent: int | None) -> None:
    line = join_lines(json.dumps(value, indent=indent).encode())
    assert line.count(b"\n") == 1
    assert json.loads(line) == value
    assert indent or line == json.dumps(value).encode() + b"\n"


def test_an_error_is_that_of_the_server_if_there_is_one() -> None:
    assert json.loads(make_error_line(1, "broken")) == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "ctxkit: broken"}}
    assert json.loads(make_error_line("a", "broken", {"code": 7, "data": [1]})) == {"jsonrpc": "2.0", "id": "a", "error": {"code": 7, "data": [1]}}


E = ServerEvent
EVENTS: list[tuple[bytes, list[ServerEvent]]] = [
    (b"data: 1\n\n", [E(b"1")]),
    (b"data:1\r\n\r\n", [E(b"1")]),
    (b"data: 1\r\rdata:2\r\r", [E(b"1"), E(b"2")]),
    (b"data: 1\n", []),
    (b"data: 1\n\ndata: 2\n\n", [E(b"1"), E(b"2")]),
    (b"data: 1\ndata\ndata:  3\n\n", [E(b"1\n\n 3")]),
    (b"event: message\nid: a\ndata: 1\n\ndata: 2\n\n", [E(b"1", id=b"a"), E(b"2", id=b"a")]),
    (b"id: a\ndata:\n\n", [E(b"", id=b"a")]),
    (b"id: a\0b\ndata: 1\n\n", [E(b"1")]),
    (b"id\ndata: 1\n\n", [E(b"1")]),
    (b": ping\n\n\n\n: ping\n\n", []),
    (b"event: endpoint\ndata: /x\n\n", [E(b"/x", b"endpoint")]),
    (b"retry: 250\n\nretry: soon\ndata: 1\n\n", [E(b"", retry=250), E(b"1")]),
    (b"\xef\xbb\xbfdata: 1\n\n\xef\xbb\xbfdata: 2\n\n", [E(b"1")]),
    (b"unknown: 5\ndata: \xff\xe9\n\n", [E(b"\xff\xe9")]),
    (b"data: {\"a\": \"\\r\\n\xe2\x80\xa8\x0b\x0c\x85\"}\n\n", [E(b"{\"a\": \"\\r\\n\xe2\x80\xa8\x0b\x0c\x85\"}")]),
    (b"", []),
]


def parse(pieces: list[bytes], most: int = 1_000) -> list[ServerEvent]:
    parser = EventParser(most)
    return [event for piece in pieces for event in parser.add(piece)]


@pytest.mark.parametrize(("stream", "events"), EVENTS)
def test_a_stream_has_events(stream: bytes, events: list[ServerEvent]) -> None:
    assert parse([stream]) == events
    assert parse([stream[at : at + 1] for at in range(len(stream))]) == events


LINES = st.lists(st.sampled_from([b"data: 1", b"data", b"id: x", b"retry: 5", b": c", b"event: e", b"", b"", b"\xff"]), max_size=12)


@given(LINES, st.sampled_from([b"\n", b"\r\n", b"\r"]), st.lists(st.integers(0, 80), max_size=5))
def test_pieces_and_line_ends_do_not_matter(lines: list[bytes], end: bytes, cuts: list[int]) -> None:
    stream = b"".join(line + end for line in lines)
    places = [0, *sorted(cuts), len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(places)]
    assert parse(pieces) == parse([b"".join(line + b"\n" for line in lines)])


@pytest.mark.parametrize("pieces", [[b"data: " + b"x" * 50] * 30, [b"data\n"] * 1_001, [b"data\n" * 1_001]])
def test_an_event_without_an_end_is_refused(pieces: list[bytes]) -> None:
    with pytest.raises(ValueError, match="an event of more than 1,000 bytes"):
        parse(pieces)


def test_many_short_events_are_not_a_long_one() -> None:
    assert len(parse([b"data: x\n\n" * 300])) == 300
