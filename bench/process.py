"""Running commands, and what each cost."""

import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

Run = Callable[[], "Cost"]


class CommandError(Exception):
    """Say that a command ended with another status than it should have."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Hold what a command took: seconds on the wall, seconds of CPU; and what it wrote."""

    wall: float
    cpu: float
    out: bytes = b""


@dataclass(frozen=True, slots=True)
class Several:
    """Hold the costs of one command that ran several times."""

    costs: Sequence[Cost]

    @property
    def wall(self) -> float:
        """Return the median time on the wall."""
        return median(cost.wall for cost in self.costs)

    @property
    def best(self) -> float:
        """Return the shortest time on the wall."""
        return min(cost.wall for cost in self.costs)

    @property
    def cpu(self) -> float:
        """Return the least CPU time."""
        return min(cost.cpu for cost in self.costs)


def run(argv: Sequence[str], *, data: bytes = b"", file: str = "", keep: bool = False, status: int = 0) -> Cost:
    """Run a command with ``data`` (less than a pipe holds) or a ``file`` on a pipe; raises CommandError.

    A file comes through ``cat``, so that the command reads a pipe, as in real life. The time of
    ``cat`` is not counted but where the command waits for it.
    """
    feeder = subprocess.Popen(["cat", file], stdout=subprocess.PIPE) if file else None
    stdin = _reader(feeder) if feeder is not None else _fill(data)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        started = perf_counter()
        process = subprocess.Popen(argv, stdin=stdin, stdout=out if keep else subprocess.DEVNULL, stderr=err)
        os.close(stdin)
        _, ended, usage = os.wait4(process.pid, 0)
        wall = perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(ended)
        if feeder is not None:
            feeder.wait()
        if process.returncode != status:
            err.seek(0)
            text = err.read()[-300:].decode(errors="replace")
            raise CommandError(f"status {process.returncode} of {' '.join(argv)}: {text}")
        out.seek(0)
        return Cost(wall, usage.ru_utime + usage.ru_stime, out.read() if keep else b"")


def _fill(data: bytes) -> int:
    """Return the reading end of a pipe that holds ``data``."""
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    return reader


def _reader(feeder: "subprocess.Popen[bytes]") -> int:
    """Return the reading end of what a process writes, as one that this process must close."""
    assert feeder.stdout is not None
    with feeder.stdout as stdout:
        return os.dup(stdout.fileno())


def interleave(runs: Sequence[Run], times: int) -> list[Several]:
    """Run each in turn, ``times`` rounds of them after one that does not count."""
    for run_value in runs:
        run_value()
    rounds = [[run() for run in runs] for _ in range(times)]
    return [Several(costs) for costs in zip(*rounds, strict=True)]
