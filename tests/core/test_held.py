import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.opened import opened
from ctxkit.core.held import PIECE, HeldBack, HeldWhole

CHUNKS = st.lists(st.binary(max_size=5), max_size=12)


@given(CHUNKS, st.lists(st.integers(0, 30), max_size=3), st.booleans(), st.booleans())
def test_everything_gives_every_byte_once_whatever_was_read_before(chunks, limits, iterate, partly):
    held = HeldBack(iter(chunks))
    for limit in limits:
        held.upto(limit)
    if iterate:
        for _ in held:
            if partly:
                break
    assert b"".join(held.everything()) == b"".join(chunks)
    assert held.size == len(b"".join(chunks))
    assert held.ended


@given(CHUNKS, st.integers(0, 30))
def test_reading_up_to_a_limit_gives_the_beginning_and_no_more_chunks_than_needed(chunks, limit):
    pulled = []

    def source():
        for chunk in chunks:
            pulled.append(chunk)
            yield chunk

    whole = b"".join(chunks)
    held = HeldBack(source())
    start = held.upto(limit)
    assert whole.startswith(start)
    assert held.ended == (len(whole) <= limit)
    assert len(start) > limit or start == whole
    if pulled:
        assert len(b"".join(pulled[:-1])) <= limit


@given(CHUNKS, st.integers(0, 30))
def test_a_stream_can_be_read_ahead_twice(chunks, limit):
    held = HeldBack(chunks)
    held.upto(limit)
    assert b"".join(held) == b"".join(chunks)
    assert b"".join(held) == b"".join(chunks)


def test_an_empty_chunk_is_not_the_end():
    held = HeldBack([b"", b"a", b"", b"b"])
    assert held.upto(9) == b"ab"
    assert held.ended


def test_what_was_given_is_held_no_longer():
    held = HeldBack([b"a", b"b", b"c"])
    held.upto(1)
    everything = held.everything()
    assert next(everything) == b"ab"
    assert b"".join(everything) == b"c"
    assert list(held.everything()) == []


def test_content_in_memory_is_given_without_a_copy():
    data = b"a\n" * PIECE
    held = HeldWhole(data)
    assert held.upto(10) == data[:PIECE]
    assert not held.ended
    assert held.upto(len(data)) is data
    assert held.ended
    assert b"".join(held) == data == b"".join(held.everything())


def test_one_line_in_memory_is_given_without_a_copy():
    data = b"a" * 2 * PIECE + b"\n"
    assert HeldWhole(data).only_line(len(data)) is data
    assert HeldWhole(data).only_line(len(data) - 1) == b""
    assert HeldWhole(b"a\nb").only_line(10) == b""
    assert HeldBack([data]).only_line(len(data)) == b""


def test_a_conversation_in_memory_is_opened_without_another_copy():
    data = b"[%s]" % b", ".join([b'{"role": "user", "content": "%s"}' % (b"a" * 60_000)] * 100)
    tracemalloc.start()
    try:
        found = opened(HeldWhole(data), lambda _: [{"role": "user", "content": ""}], "chat")
        assert tracemalloc.get_traced_memory()[1] < len(data) / 3
    finally:
        tracemalloc.stop()
    assert found.format is not None
