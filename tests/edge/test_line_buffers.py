"""Lines as they come, and output as far as its reader takes it."""

import os

from hypothesis import given
from hypothesis import strategies as st

from ctxkit.edge.line_buffers import PIECE, LineBuffer, OutputBuffer, read_available


@given(st.lists(st.binary(max_size=6).map(lambda data: data.replace(b"a", b"\n"))))
def test_lines_are_the_bytes_that_came(pieces: list[bytes]) -> None:
    buffer = LineBuffer()
    for piece in filter(None, pieces):
        buffer.add(piece)
    assert all(line.endswith(b"\n") for line in buffer.lines)
    buffer.add(b"")
    assert all(line.count(b"\n") <= 1 for line in buffer.lines)
    assert b"".join(buffer.lines) == b"".join(pieces)


def test_output_waits_until_the_reader_takes_it() -> None:
    reader, writer = os.pipe()
    for descriptor in (reader, writer):
        os.set_blocking(descriptor, False)
    output = OutputBuffer(writer, PIECE)
    for data in (b"", b"x" * 200_000, b"end"):
        output.add(data)
    assert output.size == 200_003
    taken = b""
    while output.size:
        output.write()
        taken += read_available(reader)
    assert taken == b"x" * 200_000 + b"end"
    output.add(b"more")
    os.close(reader)
    output.write()
    assert (output.size, output.is_open) == (0, False)
    output.add(b"more")
    assert output.size == 0
    os.close(writer)
    assert read_available(reader) == b""
