from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.held import HeldBack

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
