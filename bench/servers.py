"""Servers that a suite starts: a free port, the wait for the first answer, and what their processes hold."""

import socket
from collections.abc import Callable
from time import monotonic, sleep

PATIENCE = 60
"""Seconds in which a server must have started."""


def find_port() -> int:
    """Return a port of the loopback that is free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def await_answer(ask: Callable[[], object]) -> None:
    """Ask a server until it answers; raises TimeoutError."""
    deadline = monotonic() + PATIENCE
    while monotonic() < deadline:
        try:
            ask()
            return
        except OSError:
            sleep(0.05)
    raise TimeoutError("the server did not start")


def list_processes(process: int) -> list[int]:
    """Return a process and those that it has started."""
    with open(f"/proc/{process}/task/{process}/children") as file:
        return [process, *map(int, file.read().split())]


def read_memory(process: int) -> int:
    """Return the bytes that a process and those that it has started hold, each page counted once."""
    return sum(map(_read_share, list_processes(process)))


def _read_share(process: int) -> int:
    with open(f"/proc/{process}/smaps_rollup") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("Pss:"))
