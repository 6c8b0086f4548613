"""Call a function in a forked process with limited memory and time.

Native code (tokenizers, grammar scanners, archives) can crash, and content can be crafted to exhaust memory or time.
Only the forked process dies then; its parent still answers.
"""

import gc
import os
import select
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from heapq import heapreplace
from time import monotonic, sleep
from typing import Any

from ctxkit.core.errors import CtxkitError
from ctxkit.core.text.limits import WorkerDiedError, WorkerLimitError
from ctxkit.engines.worker_process import (
    ERROR_DECODERS,
    SMALLER_INPUT_HINT,
    ProcessLimits,
    WorkerChannel,
    check_seconds,
    decode_error,
    is_runnable,
    run_worker,
    signal_name,
    take_message,
)

_MAX_EXTENSIONS = 4
"""Number of times that a process gets the time until its answer again, while other processes keep it from running."""
_THREAD_CHECKS = 5
"""Number of times that the threads of this process are counted, a millisecond apart, while one of them ends."""
_EXIT_SECONDS = 1.0
"""Seconds that a process may take to end after it has closed its pipe."""
OnMessage = Callable[[str, Any], None]
"""Handles a message that precedes the answer: its kind and its value."""


def can_fork() -> bool:
    """Return whether this process can fork safely: it has one thread, and its system libraries allow it."""
    if not hasattr(os, "fork") or sys.platform == "darwin":
        return False
    threading = sys.modules.get("threading")
    try:
        for _ in range(_THREAD_CHECKS):
            if len(os.listdir("/proc/self/task")) == 1:
                return True
            if threading is None or threading.active_count() > 1:
                return False
            sleep(0.001)  # a thread of Python that has ended takes a moment to leave the list
    except OSError:
        return threading is None or threading.active_count() == 1
    return False


def run_forked(
    work: Callable[["WorkerChannel"], Any], limits: ProcessLimits, on_message: OnMessage = lambda *_: None
) -> Any:
    """Return the result of ``work`` in a forked process; ``work`` gets a channel for messages that precede it.

    Raise the CtxkitError or OSError of ``work``, WorkerLimitError if it exceeds its limits, and WorkerDiedError if it
    fails, crashes or sends garbage.
    """
    with _fork_worker(work, limits) as worker:
        return worker.wait_for_answer(on_message)


@contextmanager
def _fork_worker(work: Callable[["WorkerChannel"], Any], limits: ProcessLimits) -> Iterator["ForkedWorker"]:
    """Fork a process for ``work``, and end it with the block."""
    gc.freeze()  # a collection in the child would touch, and so copy, all memory of this process
    reader, writer = os.pipe()
    awaited, alive = os.pipe()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT))
    pid = os.fork()
    if not pid:
        try:
            os.close(reader)
            os.close(alive)
            run_worker(work, limits, WorkerChannel(writer, awaited), mask)
        finally:
            os._exit(1)
    worker = ForkedWorker(pid, reader, alive, limits)
    try:
        os.close(writer)
        os.close(awaited)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        yield worker
    except WorkerDiedError as error:
        error.args = (f"the worker process {error}",)
        raise
    finally:
        worker.end()


class ForkedWorker:
    """Waits for a forked process, and ends it."""

    def __init__(self, pid: int, reader: int, alive: int, limits: ProcessLimits) -> None:
        self._pid, self._reader, self._alive, self._limits = pid, reader, alive, limits
        self._status: int | None = None
        self._groups = [pid]
        with suppress(OSError):  # the process does the same; either may come first
            os.setpgid(pid, pid)

    def wait_for_answer(self, on_message: OnMessage) -> Any:
        """Return the answer."""
        for kind, value in self.read_messages():
            if kind == "result":
                return value
            on_message(kind, value)
            if kind.startswith("ask "):
                os.write(self._alive, b"\n")
        raise AssertionError("the messages end with a result or an error")

    def read_messages(self) -> Iterator[tuple[str, Any]]:
        """Yield messages up to the result; raise the error that the process sends, or that describes its death."""
        for kind, value in self._read_messages():
            if kind in ERROR_DECODERS:
                raise ERROR_DECODERS[kind](value)
            if kind == "group" and isinstance(value, int) and value > 1:
                self._groups.append(value)
                continue
            if kind == "result":
                self._groups = [self._pid]  # it has ended the processes that it started
            yield kind, value
            if kind == "result":
                return
        raise self._death_error()

    def _read_messages(self) -> Iterator[tuple[str, Any]]:
        """Yield messages until the pipe closes; raise WorkerLimitError after the time limit."""
        buffer, wait = bytearray(), self._limits.wall
        deadline, extensions = monotonic() + wait, _MAX_EXTENSIONS
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        while True:
            left = deadline - monotonic()
            if left <= 0 and extensions and is_runnable(self._pid):
                extensions, deadline, wait = extensions - 1, deadline + self._limits.wall, wait + self._limits.wall
                continue
            if left <= 0:
                raise WorkerLimitError(f"gave no answer in {wait:g} s", hint=SMALLER_INPUT_HINT)
            if not poll.poll(left * 1000):
                continue
            piece = os.read(self._reader, 1 << 18)
            if not piece:
                return
            buffer += piece
            while (message := take_message(buffer)) is not None:
                kind, value = message
                if kind == "expect":
                    deadline += check_seconds(value)
                    wait += check_seconds(value)
                else:
                    yield kind, value

    def _death_error(self) -> WorkerDiedError:
        """Return the error that describes how the process ended."""
        status = self._wait_for_exit()
        if not os.WIFSIGNALED(status):
            return WorkerDiedError("ended without an answer")
        number = os.WTERMSIG(status)
        if number == getattr(signal, "SIGXCPU", None):
            return WorkerLimitError(f"took more than {self._limits.cpu:g} s of processor time", hint=SMALLER_INPUT_HINT)
        return WorkerDiedError(f"was killed by {signal_name(number)}")

    def _wait_for_exit(self, seconds: float = _EXIT_SECONDS) -> int:
        """Return the status of a process that is about to end; kill it after ``seconds``."""
        until = monotonic() + seconds
        while self._status is None:
            left = until - monotonic()
            if left <= 0:
                self._kill()
            try:
                pid, status = os.waitpid(self._pid, os.WNOHANG if left > 0 else 0)
            except ChildProcessError:  # the parent of this process ignores SIGCHLD
                pid, status = self._pid, 0
            if pid:
                self._status = status
            else:
                sleep(0.001)
        return self._status

    def _kill(self) -> None:
        for group in self._groups:
            with suppress(OSError):
                os.killpg(group, signal.SIGKILL)

    def end(self) -> None:
        """End the process and its group without leaving a zombie."""
        if len(self._groups) > 1 and self._status is None:  # let it end its children first
            with suppress(OSError):
                os.kill(self._pid, signal.SIGINT)
            self._wait_for_exit()
        self._kill()  # its remaining children too
        self._wait_for_exit(0)
        os.close(self._reader)
        os.close(self._alive)


Answer = Callable[[int], Any]
"""Returns plain data for the item with an index, or raises CtxkitError."""


def answer_items(answer: Answer, sizes: dict[int, int], processes: int) -> Generator[tuple[int, Any], None, None]:
    """Yield each index of ``sizes`` with the answer for it, or its CtxkitError, in ascending order.

    ``sizes`` are bytes. The items of a process that dies, from the one that it worked on, are left out.
    """
    shares = deal_shares(sizes, processes)
    owners = {index: number for number, share in enumerate(shares) for index in share}
    with ExitStack() as stack:
        answers = [_read_answers(stack, answer, share, sum(map(sizes.__getitem__, share))) for share in shares]
        for index in sorted(owners):
            if result := next(answers[owners[index]], None):
                yield index, result[0]


def deal_shares(sizes: dict[int, int], processes: int) -> list[list[int]]:
    """Return the indexes in shares of about the same size, each in ascending order: the largest item goes first."""
    shares: list[list[int]] = [[] for _ in range(min(processes, len(sizes)))]
    loads = [(0, number) for number in range(len(shares))]
    for index in sorted(sizes, key=lambda index: (-sizes[index], index)):
        load, number = loads[0]
        shares[number].append(index)
        heapreplace(loads, (load + sizes[index] + 1, number))
    return [sorted(share) for share in shares]


def _read_answers(stack: ExitStack, answer: Answer, share: Sequence[int], size: int) -> Iterator[tuple[Any]]:
    """Start a process for a share; return an iterator of its answers, which ends early if the process dies."""
    worker = stack.enter_context(_fork_worker(partial(_answer_share, answer, share), ProcessLimits.for_size(size)))
    return _decode_answers(worker.read_messages())


def _decode_answers(messages: Iterator[tuple[str, Any]]) -> Iterator[tuple[Any]]:
    try:
        for kind, value in messages:
            if kind == "answer":
                yield (value,)
            elif kind == "error":
                yield (decode_error(value),)
    except (WorkerDiedError, OSError):  # the parent answers what is left
        return


def _answer_share(answer: Answer, share: Sequence[int], channel: WorkerChannel) -> None:
    """Send the answers of a share in order."""
    for index in share:
        try:
            value = answer(index)
        except CtxkitError as error:
            channel.send("error", (type(error).__name__, str(error), error.hint))
        else:
            channel.send("answer", value)
