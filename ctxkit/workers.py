"""Doing what content can break in a process of its own: calling a function there, or carrying out a whole command.

Where a fork is not safe (macOS, Windows, a process with threads), the work is done in this process.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from ctxkit.core.exit import Exit
    from ctxkit.engines.isolation import WorkerChannel

AFTER_FORK: list[Callable[[], None]] = []
"""What a worker does first, so that it uses nothing that cannot be used by two processes."""
_channel: WorkerChannel | None = None
"""The line to the process that waits for this one, if this one is a worker."""


def _load_isolation() -> ModuleType | None:
    """Return what forks workers, None where a fork is not safe."""
    try:
        from ctxkit.engines import isolation
    except ImportError:  # Windows has no fork, and not the modules that belong to it
        return None
    return isolation if isolation.can_fork() else None


def isolate(work: Callable[[], Any], size: int) -> Any:
    """Return what ``work`` returns in a worker process; it works on content of ``size`` bytes."""
    isolation = _load_isolation()
    return isolation.run_forked(lambda _: work(), isolation.ProcessLimits.for_size(size)) if isolation else work()


def run_in_worker(work: Callable[[], Exit], size: int = 0, *, answers_once: bool = False) -> Exit:
    """Carry out a command in a worker process; what it writes and says there is written and said here.

    It works on ``size`` bytes, and on the files that it reads besides. Nothing is written before it has ended well;
    when all that it writes is one answer (``answers_once``), that is written at once. Raises what ``work`` raises, and
    WorkerDied where the process dies, with ``delivered`` set once the answer is out.
    """
    isolation = _load_isolation()
    if isolation is None:
        return work()
    from ctxkit.core.exit import Exit
    from ctxkit.core.text.isolation import WorkerDiedError
    from ctxkit.edge.relay import Relay

    relay = Relay()
    try:
        status = isolation.run_forked(
            lambda channel: _run_as_worker(work, channel, answers_once),
            isolation.ProcessLimits.for_size(size),
            relay.receive,
        )
    except WorkerDiedError as error:
        error.delivered = relay.committed
        raise
    except Exception:
        relay.replay()
        raise
    relay.replay()
    return Exit(status) if status in list(Exit) else Exit.BUG


def _run_as_worker(work: Callable[[], Exit], channel: WorkerChannel, answers_once: bool) -> int:
    """Carry out a command as the worker."""
    from ctxkit.edge import relay, source

    global _channel
    _channel = channel
    for prepare in AFTER_FORK:
        prepare()
    relay.redirect_output(channel.send, channel.send_and_wait if answers_once else None)
    source.set_read_callback(channel.extend_limits)
    return int(work())


def isolate_command(command: Callable[..., Exit]) -> Callable[..., Exit]:
    """Return a command on one ``file`` so that a worker process carries it out."""

    @wraps(command)
    def run_command(**arguments: Any) -> Exit:
        from ctxkit.edge import source

        return run_in_worker(lambda: command(**arguments), source.preload(arguments["file"]))

    return run_command


def extend_deadline(seconds: float) -> None:
    """Say that what comes may take so many seconds in which others work, if this is a worker."""
    if _channel is not None:
        _channel.extend_deadline(seconds)


def wrap_with_deadline(ask: Callable[[str], str], seconds: float) -> Callable[[str], str]:
    """Return ``ask`` so that it is expected to take so many seconds."""

    def ask_with_deadline(prompt: str) -> str:
        extend_deadline(seconds)
        return ask(prompt)

    return ask_with_deadline
