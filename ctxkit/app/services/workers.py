"""Run functions and commands on untrusted content in a worker process.

If a fork is not safe (macOS, Windows, a process with threads), run them in this process.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from ctxkit.core.errors import Exit
    from ctxkit.engines.worker_channel import WorkerChannel

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
    from ctxkit.engines.process_limits import ProcessLimits

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
    from ctxkit.core.text.limits import WorkerDiedError
    from ctxkit.edge.relay import Relay
    from ctxkit.engines.process_limits import ProcessLimits

    relay = Relay()
    try:
        status = isolation.run_forked(
            lambda channel: _run_as_worker(work, channel, answers_once),
            ProcessLimits.for_size(size),
            relay.receive,
        )
    except WorkerDiedError as error:
        error.delivered = relay.committed
        raise
    except Exception:
        relay.replay()
        raise
    relay.replay()
    return STATUSES.get(status, Exit.BUG)


def _run_as_worker(work: Callable[[], Exit], channel: WorkerChannel, answers_once: bool) -> int:
    """Run a command in the worker process."""
    from ctxkit.edge import relay, source

    global _channel
    _channel = channel
    relay.redirect_output(channel.send, channel.send_and_wait if answers_once else None)
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
