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
    from ctxkit.engines.isolation import Line

AFTER_FORK: list[Callable[[], None]] = []
"""What a worker does first, so that it uses nothing that cannot be used by two processes."""
_line: Line | None = None
"""The line to the process that waits for this one, if this one is a worker."""


def _isolation() -> ModuleType | None:
    """Return what forks workers, None where a fork is not safe."""
    try:
        from ctxkit.engines import isolation
    except ImportError:  # Windows has no fork, and not the modules that belong to it
        return None
    return isolation if isolation.can_fork() else None


def isolate(work: Callable[[], Any], size: int) -> Any:
    """Return what ``work`` returns in a worker process; it works on content of ``size`` bytes."""
    isolation = _isolation()
    return isolation.call(lambda _: work(), isolation.Limits.of(size)) if isolation else work()


def apart(work: Callable[[], Exit], size: int = 0, *, whole: bool = False) -> Exit:
    """Carry out a command in a worker process; what it writes and says there is written and said here.

    It works on ``size`` bytes, and on the files that it reads besides. Nothing is written before it has ended well;
    when all that it writes is one answer (``whole``), that is written at once. Raises what ``work`` raises, and
    WorkerDied where the process dies, with ``delivered`` set once the answer is out.
    """
    isolation = _isolation()
    if isolation is None:
        return work()
    from ctxkit.core.exit import Exit
    from ctxkit.core.isolation import WorkerDied
    from ctxkit.edge.relay import Relay

    relay = Relay()
    try:
        status = isolation.call(lambda line: _serve(work, line, whole), isolation.Limits.of(size), relay.hear)
    except WorkerDied as error:
        error.delivered = relay.committed
        raise
    except Exception:
        relay.replay()
        raise
    relay.replay()
    return Exit(status) if status in list(Exit) else Exit.BUG


def _serve(work: Callable[[], Exit], line: Line, whole: bool) -> int:
    """Carry out a command as the worker."""
    from ctxkit.edge import relay, source

    global _line
    _line = line
    for prepare in AFTER_FORK:
        prepare()
    relay.capture(line.send, line.ask if whole else None)
    source.tell(line.enlarge)
    return int(work())


def own_process(command: Callable[..., Exit]) -> Callable[..., Exit]:
    """Return a command on one ``file`` so that a worker process carries it out."""

    @wraps(command)
    def called(**given: Any) -> Exit:
        from ctxkit.edge import source

        return apart(lambda: command(**given), source.preload(given["file"]))

    return called


def expect(seconds: float) -> None:
    """Say that what comes may take so many seconds in which others work, if this is a worker."""
    if _line is not None:
        _line.expect(seconds)


def patiently(ask: Callable[[str], str], seconds: float) -> Callable[[str], str]:
    """Return ``ask`` so that it is expected to take so many seconds."""

    def asked(prompt: str) -> str:
        expect(seconds)
        return ask(prompt)

    return asked
