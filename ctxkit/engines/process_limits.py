"""Limits of memory and time of a process, set and lifted."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

try:
    import resource
except ImportError:  # a system without forks, where no process is confined
    resource = None  # type: ignore[assignment]

MEMORY = 400 << 20
"""Maximum bytes of memory of the forked process."""
SECONDS, SECONDS_PER_MB = 10.0, 3.0
"""Maximum processor time in seconds: a constant, and an amount for each megabyte of content.

A compaction takes up to one second per megabyte on a machine of 2024; other machines are slower.
"""
WALL_FACTOR = 2
"""Maximum wall-clock time as a multiple of the processor time, because the machine may be busy."""


class ProcessLimits(NamedTuple):
    """Limits of a process: bytes of memory, seconds of processor time, and seconds until it answers."""

    memory: int = MEMORY
    cpu: float = SECONDS
    wall: float = SECONDS * WALL_FACTOR

    @classmethod
    def for_size(cls, size: int) -> "ProcessLimits":
        """Return the limits for content of ``size`` bytes."""
        cpu = SECONDS + SECONDS_PER_MB * size / 1e6
        return cls(MEMORY, cpu, cpu * WALL_FACTOR)


def is_runnable(process: int) -> bool:
    """Return whether a process runs or waits for a processor, rather than for anything else; False if unknown."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b") ")[2][:1] == b"R"
    except OSError:
        return False


_old_limits: dict[int, tuple[int, int]] = {}
"""The limits of this process before ``confine``."""


def confine(limits: ProcessLimits) -> None:
    """Limit this process; change only soft limits, so that they can be restored for a program that it starts."""
    data, resident = _read_memory_use()
    for kind in (resource.RLIMIT_DATA, resource.RLIMIT_CPU, resource.RLIMIT_CORE):
        _old_limits[kind] = resource.getrlimit(kind)
    if data:
        lower_limit(resource.RLIMIT_DATA, data + max(limits.memory - resident, limits.memory // 8))
    lower_limit(resource.RLIMIT_CPU, limits.cpu)
    lower_limit(resource.RLIMIT_CORE, 0)


def lower_limit(kind: int, most: float) -> None:
    """Lower a soft limit, never above its old value."""
    soft, hard = _old_limits[kind]
    least = int(most) if soft == resource.RLIM_INFINITY else min(int(most), soft)
    with suppress(OSError, ValueError):
        resource.setrlimit(kind, (least, hard))


@contextmanager
def lift_limits() -> Iterator[None]:
    """Lift the limits while a program starts that has its own limits or none."""
    confined = {kind: resource.getrlimit(kind) for kind in _old_limits}
    restore_limits()
    try:
        yield
    finally:
        for kind, limits in confined.items():
            resource.setrlimit(kind, limits)


def restore_limits() -> None:
    """Restore the old limits, so that the report of a memory error has enough memory."""
    for kind, limits in _old_limits.items():
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, limits)


def _read_memory_use() -> tuple[int, int]:
    """Return the private and the resident memory of this process in bytes; zeros if the system does not report them."""
    try:
        with open("/proc/self/statm", "rb") as file:
            fields = file.read().split()
    except OSError:
        return 0, 0
    page = resource.getpagesize()
    return int(fields[5]) * page, int(fields[1]) * page
