import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.reading.open_content import open_content
from ctxkit.core.text.stream import PIECE_SIZE, CountedContent, PeekableBytes, PeekableStream

CHUNKS = st.lists(st.binary(max_size=5), max_size=12)


@given(CHUNKS, st.lists(st.integers(0, 30), max_size=3), st.booleans(), st.booleans())
def test_everything_gives_every_byte_once_whatever_was_read_before(chunks, limits: list[int], iterate: bool, partly: bool) -> None:
    held = PeekableStream(iter(chunks))
    for limit in limits:
        held.peek(limit)
    if iterate:
        for _ in held:
            if partly:
                break
    assert b"".join(held.drain()) == b"".join(chunks)
    assert held.size == len(b"".join(chunks))
    assert held.ended


@given(CHUNKS, st.integers(0, 30))
def test_reading_up_to_a_limit_gives_the_beginning_and_no_more_chunks_than_needed(chunks, limit: int) -> None:
    pulled = []

    def source():
        for chunk in chunks:
            pulled.append(chunk)
            yield chunk

    whole = b"".join(chunks)
    held = PeekableStream(source())
    start = held.peek(limit)
    assert whole.startswith(start)
    assert held.ended == (len(whole) <= limit)
    assert len(start) > limit or start == whole
    if pulled:
        assert len(b"".join(pulled[:-1])) <= limit


@given(CHUNKS, st.integers(0, 30))
def test_a_stream_can_be_read_ahead_twice(chunks, limit: int) -> None:
    held = PeekableStream(chunks)
    held.peek(limit)
    assert b"".join(held) == b"".join(chunks)
    assert b"".join(held) == b"".join(chunks)


def test_an_empty_chunk_is_not_the_end() -> None:
    held = PeekableStream([b"", b"a", b"", b"b"])
    assert held.peek(9) == b"ab"
    assert held.ended


def test_what_was_given_is_held_no_longer() -> None:
    held = PeekableStream([b"a", b"b", b"c"])
    held.peek(1)
    everything = held.drain()
    assert next(everything) == b"ab"
    assert b"".join(everything) == b"c"
    assert list(held.drain()) == []


def test_content_in_memory_is_given_without_a_copy() -> None:
    data = b"a\n" * PIECE_SIZE
    held = PeekableBytes(data)
    assert held.peek(10) == data[:PIECE_SIZE]
    assert not held.ended
    assert held.peek(len(data)) is data
    assert held.ended
    assert b"".join(held) == data == b"".join(held.drain())


def test_one_line_in_memory_is_given_without_a_copy() -> None:
    data = b"a" * 2 * PIECE_SIZE + b"\n"
    assert PeekableBytes(data).single_line(len(data)) is data
    assert PeekableBytes(data).single_line(len(data) - 1) == b""
    assert PeekableBytes(b"a\nb").single_line(10) == b""
    assert PeekableStream([data]).single_line(len(data)) == b""


def test_a_conversation_in_memory_is_opened_without_another_copy() -> None:
    data = b"[%s]" % b", ".join([b'{"role": "user", "content": "%s"}' % (b"a" * 60_000)] * 100)
    tracemalloc.start()
    try:
        found = open_content(PeekableBytes(data), lambda _: [{"role": "user", "content": ""}], "chat")
        assert tracemalloc.get_traced_memory()[1] < len(data) / 3
    finally:
        tracemalloc.stop()
    assert found.format is not None


def test_content_is_counted_while_it_is_read() -> None:
    content = CountedContent((b"a\nb", b"c"))
    assert (b"".join(content), content.size, content.lines) == (b"a\nbc", 4, 2)
