"""Run functions and commands on untrusted content in a worker process, and relay what it writes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.edge import out, say

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ctxkit.core.errors import Exit
    from ctxkit.engines.worker_process import WorkerChannel

SHARED_BYTES = 1 << 20
"""Bytes of content from which processes share it; for less, starting them takes longer than the work."""
_channel: WorkerChannel | None = None
"""The channel to the parent process, if this process is a worker."""


def _load_isolation() -> ModuleType | None:
    """Return the module that forks workers, or None if a fork is not safe."""
    try:
        from ctxkit.engines import isolation
    except ImportError:  # Windows has neither fork nor the modules for it
        return None
    return isolation if isolation.can_fork() else None


def isolate(work: Callable[[], Any], size: int) -> Any:
    """Return the result of ``work`` in a worker process, for content of ``size`` bytes."""
    isolation = _load_isolation()
    if isolation is None:
        return work()
    from ctxkit.engines.worker_process import ProcessLimits

    return isolation.run_forked(lambda _: work(), ProcessLimits.for_size(size))


def answer_items(
    answer: Callable[[int], Any], sizes: dict[int, int], processes: int | None = None, least: int = SHARED_BYTES
) -> Iterator[tuple[int, Any]]:
    """Return an iterator of the answers for items that worker processes share, in ascending order of their indexes.

    ``sizes`` are the bytes of each item, ``processes`` how many to start, None for one on each core. The iterator
    leaves out what this process must answer: everything, if the items have fewer bytes than ``least`` or a fork is not
    safe.
    """
    processes = processes or _count_cores()
    if processes < 2 or len(sizes) < 2 or sum(sizes.values()) < least or _load_isolation() is None:
        return iter(())
    from ctxkit.engines.isolation import answer_items as share_items

    return share_items(answer, sizes, processes)


def _count_cores() -> int:
    """Return the number of cores that this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_in_worker(work: Callable[[], Exit], size: int = 0, *, answers_once: bool = False) -> Exit:
    """Run a command in a worker process; replay its output and messages in this process.

    The command processes ``size`` bytes and the files it reads. Nothing is written before it has ended well; if its
    only output is one answer (``answers_once``), that is written at once. Raise the errors of ``work``, or
    WorkerDiedError if the process dies, with ``delivered`` set if the answer was written.
    """
    isolation = _load_isolation()
    if isolation is None:
        return work()
    from ctxkit.core.errors import STATUSES, Exit
    from ctxkit.engines.worker_process import ProcessLimits

    output = Relay()
    try:
        status = isolation.run_forked(
            lambda channel: _run_as_worker(work, channel, answers_once),
            ProcessLimits.for_size(size),
            output.receive,
        )
    except WorkerDiedError as error:
        error.delivered = output.committed
        raise
    except Exception:
        output.replay()
        raise
    output.replay()
    return STATUSES.get(status, Exit.BUG)


def _run_as_worker(work: Callable[[], Exit], channel: WorkerChannel, answers_once: bool) -> int:
    """Run a command in the worker process."""
    from ctxkit.edge import source
    global _channel
    _channel = channel
    _redirect_output(channel.send, channel.send_and_wait if answers_once else None)
    source.set_read_callback(channel.extend_limits)
    return int(work())


def isolate_command(command: Callable[..., Exit]) -> Callable[..., Exit]:
    """Wrap a command on one ``file`` so that it runs in a worker process."""

    @wraps(command)
    def run_command(**arguments: Any) -> Exit:
        """Run the command in a worker process."""
        from ctxkit.edge import source

        return run_in_worker(lambda: command(**arguments), source.preload(arguments["file"]))

    return run_command


def extend_deadline(seconds: float) -> None:
    """Extend the deadline of this worker, if it is one, by the seconds that other processes need."""
    if _channel is not None:
        _channel.extend_deadline(seconds)


def wrap_with_deadline(ask: Callable[[str], str], seconds: float) -> Callable[[str], str]:
    """Wrap ``ask`` so that each call extends the deadline by ``seconds``."""

    def ask_with_deadline(prompt: str) -> str:
        """Ask the model after extending the deadline."""
        extend_deadline(seconds)
        return ask(prompt)

    return ask_with_deadline


PIECE = 1 << 20
"""Bytes of output per message."""
COMMIT = "ask commit"
"""Message that the output so far is a complete answer; its sender waits until it is written."""


class Relay:
    """Buffers the output and messages of another process until it has ended or completed an answer."""

    def __init__(self) -> None:
        self._messages: list[tuple[str, Any]] = []
        self.committed = False

    def receive(self, kind: str, value: Any) -> None:
        """Handle a message; raise WorkerDiedError for an unknown one, BrokenPipeError if stdout is closed."""
        if kind == COMMIT:
            self.committed = True
            self.replay()
        elif (kind == "out" and isinstance(value, bytes)) or (kind == "say" and isinstance(value, str)):
            self._messages.append((kind, value))
        else:
            raise WorkerDiedError("sent garbage")

    def replay(self) -> None:
        """Write the buffered output and messages in order."""
        messages, self._messages = self._messages, []
        for kind, value in messages:
            if kind == "out":
                out.write((value,))
            else:
                say.write(value)


class RelayedStdout:
    """Replaces stdout in the worker; with ``commit``, each flush completes the answer."""

    def __init__(self, send: Callable[[str, Any], None], commit: Callable[[str, Any], None] | None = None) -> None:
        self._send, self._commit = send, commit
        self._terminal = sys.stdout is not None and sys.stdout.isatty()
        self._pieces: list[bytes] = []
        self._size = 0
        self.buffer = self

    def write(self, data: bytes | memoryview) -> int:
        """Write bytes."""
        self._pieces.append(bytes(data))
        self._size += len(data)
        if self._size >= PIECE:
            self._send_pending()
        return len(data)

    def flush(self) -> None:
        """Send the buffered bytes."""
        self._send_pending()
        if self._commit is not None:
            self._commit(COMMIT, None)

    def isatty(self) -> bool:
        """Return whether the output goes to a terminal."""
        return self._terminal

    def _send_pending(self) -> None:
        pieces, self._pieces, self._size = self._pieces, [], 0
        if pieces:
            self._send("out", b"".join(pieces))


def _redirect_output(send: Callable[[str, Any], None], commit: Callable[[str, Any], None] | None = None) -> None:
    """Send all output and messages of this process to another process; a closed stdout stays closed."""
    if sys.stdout is not None:
        sys.stdout = RelayedStdout(send, commit)
    say.redirect(lambda line: send("say", line))
