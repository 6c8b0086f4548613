"""The files of a call: whole whatever their size, in memory while small, and gone afterwards."""

import os

import pytest

from ctxkit.engines.server.call_files import MEMORY_BYTES, CallFiles


@pytest.mark.parametrize("pieces", [[], [b""], [b"abc"], [b"a" * 1_000] * 3, [b"x" * MEMORY_BYTES, b"y"], [b"z" * (MEMORY_BYTES + 1)], [b"m" * 700_000] * 5])
@pytest.mark.parametrize("is_small", [True, False])
def test_a_body_is_read_back_whole(pieces: list[bytes], is_small: bool) -> None:
    files = CallFiles(is_small=is_small)
    for piece in pieces:
        files.write_body(piece)
    whole = b"".join(pieces)
    assert files.size == len(whole)
    source, output, messages = files.finish_body()
    data = b""
    while piece := os.read(source, 1 << 20):
        data += piece
    assert data == whole
    os.write(output, data[:100])
    os.write(messages, b"a note\n")
    assert (files.measure_output(), b"".join(files.read_output()), files.read_messages(3)) == (len(data[:100]), data[:100], b"a n")
    files.close()


def test_a_large_output_is_read_in_pieces() -> None:
    files = CallFiles(is_small=False)
    _, output, _ = files.finish_body()
    os.write(output, b"o" * 1_000_000)
    pieces = list(files.read_output())
    assert (len(pieces) > 1, b"".join(pieces)) == (True, b"o" * 1_000_000)
    files.close()


def test_nothing_stays_open() -> None:
    before = os.listdir("/proc/self/fd")
    for size in (10, 2 * MEMORY_BYTES):
        files = CallFiles(is_small=False)
        files.write_body(b"x" * size)
        files.finish_body()
        files.close()
        files.close()
    CallFiles(is_small=True).close()
    assert os.listdir("/proc/self/fd") == before
