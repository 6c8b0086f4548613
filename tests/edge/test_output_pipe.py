import os
import subprocess
import sys
import time

from ctxkit.edge.output_pipe import OutputPipe


def read(pipe: OutputPipe, ended: bool) -> bytes:
    return b"".join(pipe.read(lambda: ended, lambda: 0.02, ticks=True))


def test_all_is_read_until_the_writers_have_closed_the_pipe() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"abc")
    os.close(writer)
    pipe = OutputPipe(reader)
    assert read(pipe, ended=False) == b"abc"
    assert not pipe.is_open
    assert not pipe.has_writers()


def test_a_pipe_that_somebody_keeps_open_is_not_waited_for_after_the_end() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"abc")
    pipe = OutputPipe(reader)
    begin = time.monotonic()
    assert read(pipe, ended=True) == b"abc"
    assert time.monotonic() - begin < 10
    assert pipe.has_writers()
    os.close(writer)
    assert not pipe.has_writers()
    assert list(pipe.read_all()) == []
    pipe.close()


def test_a_pause_is_a_tick() -> None:
    reader, writer = os.pipe()
    pipe = OutputPipe(reader)
    script = "import os, sys, time; time.sleep(0.3); os.write(int(sys.argv[1]), b'late')"
    with subprocess.Popen([sys.executable, "-c", script, str(writer)], pass_fds=[writer]):
        os.close(writer)
        pieces = list(pipe.read(lambda: False, lambda: 0.02, ticks=True))
    assert b"" in pieces
    assert b"".join(pieces) == b"late"
