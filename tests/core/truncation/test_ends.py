"""The ends of a stream in bounded memory."""

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.truncation.ends import ContentEnds, WholeContent


@given(st.lists(st.binary(max_size=20)), st.integers(1, 40))
def test_ends_are_those_of_the_whole(chunks: list[bytes], capacity: int) -> None:
    ends, data = ContentEnds(capacity), b"".join(chunks)
    for chunk in chunks:
        ends.add(chunk)
    whole = WholeContent(data)
    assert (ends.head, ends.tail) == (data[:capacity], data[-capacity:])
    assert (ends.size, ends.total_lines) == (whole.size, whole.total_lines) == (len(data), data.count(b"\n") + bool(data.rpartition(b"\n")[2]))


def test_memory_is_bounded_by_the_capacity() -> None:
    ends = ContentEnds(100)
    for _ in range(1000):
        ends.add(b"x" * 99 + b"\n")
    assert ends.size == 100_000
    assert sum(map(len, ends._chunks)) <= 300
