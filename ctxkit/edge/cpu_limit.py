"""Limit work that may never end, by running it in a child process."""

import os
import signal
from collections.abc import Callable

MEMORY = 2 << 30
"""Bytes of address space of the child: a backtracking search can request any amount."""


def fork_with_limit(seconds: int) -> int | None:
    """Fork: return None in the child, and in the parent the child's status after its end.

    The child may use ``seconds`` of processor time; waiting for a reader costs none. Raise TimeoutError in the parent
    if the time was not enough. On a system without fork, return None without a limit.
    """
    if not hasattr(os, "fork"):
        return None
    child = os.fork()
    if child == 0:
        _limit_process(seconds)
        return None
    return _child_status(_wait_for_child(child), seconds)


def _limit_process(seconds: int) -> None:
    """Set the limits of this process, none above its current hard limits."""
    import resource

    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    for kind, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _wait_for_child(child: int) -> int:
    """Return the wait status of the child; relay signals that ask this process to end."""
    relay: Callable[..., None] = lambda number, _: os.kill(child, number)  # noqa: E731
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, relay)
    while True:
        try:
            return os.waitpid(child, 0)[1]
        except KeyboardInterrupt:  # the child got it too, and decides
            continue


def _child_status(wait_status: int, seconds: int) -> int:
    """Return the status of an ended child; die of the same signal as the child."""
    if os.WIFEXITED(wait_status):
        return os.WEXITSTATUS(wait_status)
    number = os.WTERMSIG(wait_status)
    if number == signal.SIGXCPU:
        raise TimeoutError(f"no end after {seconds} s of processor time")
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number
