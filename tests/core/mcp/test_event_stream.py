"""Events of a stream, whole and in pieces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.mcp.event_stream import EventParser, ServerEvent

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
