"""Work is done by a worker process if a fork is safe, else here."""

import subprocess
import sys

import pytest

from ctxkit.app.services import workers
from ctxkit.app.services.workers import COMMIT, PIECE, Relay, RelayedStdout
from ctxkit.core.text.limits import WorkerDiedError

START = """
import os, threading
from ctxkit.app.services import workers
from ctxkit.core.errors import Exit
from ctxkit.edge import out

def command():
    out.write_text("apart" if os.getpid() != own else "here")
    return Exit.NO

own = os.getpid()
"""
THREAD = "threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="a fork is not safe everywhere")


def ran(code: str) -> str:
    """Return what code prints in a process that has no threads of anybody else."""
    done = subprocess.run([sys.executable, "-c", START + code], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@LINUX
def test_work_is_done_apart() -> None:
    assert ran("print(workers.isolate(os.getpid, 0) != own)") == "True\n"


@LINUX
def test_a_command_answers_from_apart_with_what_it_wrote() -> None:
    assert ran("print(repr(workers.run_in_worker(command)))") == "apart1\n"


def test_with_threads_work_is_done_here() -> None:
    assert ran(THREAD + "print(workers.isolate(os.getpid, 0) == own)") == "True\n"
    assert ran(THREAD + "print(repr(workers.run_in_worker(command)))") == "here1\n"


def test_what_is_asked_of_a_model_takes_its_time_only_in_a_worker() -> None:
    assert ran("print(workers.wrap_with_deadline(str.upper, 5)('text'))") == "TEXT\n"
    assert ran("print(workers.isolate(lambda: workers.wrap_with_deadline(str.upper, 5)('text'), 0))") == "TEXT\n"


def test_items_are_shared_if_they_are_large() -> None:
    large, small = dict.fromkeys(range(3), workers.SHARED_BYTES), dict.fromkeys(range(3), 10)
    share = "print(list(workers.answer_items(lambda index: os.getpid() != own, {}, {})))"
    shared = str([(0, True), (1, True), (2, True)]) + "\n"
    assert ran(share.format(large, 2)) == (shared if sys.platform == "linux" else "[]\n")
    assert ran(share.format(small, 2)) == "[]\n"
    assert ran(share.format(large, 1)) == "[]\n"
    assert ran(share.format({0: workers.SHARED_BYTES}, 2)) == "[]\n"
    assert ran(THREAD + share.format(large, 2)) == "[]\n"


def test_nothing_is_out_before_it_is_replayed(capfdbinary) -> None:
    relay = Relay()
    relay.receive("out", b"one ")
    relay.receive("say", "a word")
    relay.receive("out", b"two")
    assert capfdbinary.readouterr() == (b"", b"")
    relay.replay()
    relay.replay()
    assert capfdbinary.readouterr() == (b"one two", b"a word\n")
    assert not relay.committed


def test_a_whole_answer_is_out_at_once(capfdbinary) -> None:
    relay = Relay()
    relay.receive("out", b"answer")
    relay.receive(COMMIT, None)
    assert capfdbinary.readouterr().out == b"answer"
    assert relay.committed


@pytest.mark.parametrize("message", [("out", "text"), ("say", b"bytes"), ("other", b""), ("out", None)])
def test_another_message_is_garbage(message) -> None:
    with pytest.raises(WorkerDiedError, match="garbage"):
        Relay().receive(*message)


def test_what_is_written_is_sent_in_pieces_and_an_answer_committed_by_its_flush() -> None:
    sent = []
    captured = RelayedStdout(lambda *message: sent.append(message), lambda *message: sent.append(message))
    captured.write(b"a" * PIECE)
    captured.write(memoryview(b"bc"))
    assert sent == [("out", b"a" * PIECE)]
    captured.flush()
    assert sent[1:] == [("out", b"bc"), (COMMIT, None)]
