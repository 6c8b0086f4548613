"""What a command held at most, told by a small process that starts it.

A process is born with the peak of the one that forked it, so a large one cannot weigh a small one: the script runs in
an interpreter that has loaded next to nothing.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from bench.process import CommandError

SCRIPT = """
import os, sys
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, ended, usage = os.wait4(pid, 0)
peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
with open(sys.argv[1], "w") as file:
    file.write(f"{os.waitstatus_to_exitcode(ended)} {usage.ru_utime + usage.ru_stime} {peak}")
"""
"""Runs a command and notes its status, CPU seconds and peak."""


def make_scale(note: str) -> list[str]:
    """Return what stands before a command that is weighed; the weight is written to ``note``."""
    return [sys.executable, "-I", "-S", "-c", SCRIPT, note]


def read_note(note: str) -> tuple[int, float, int]:
    """Return the status, the CPU seconds and the peak of resident memory in bytes."""
    with open(note, encoding="ascii") as file:
        status, cpu, size = file.read().split()
    return int(status), float(cpu), int(size)


def peak(argv: Sequence[str], *, file: str = "") -> int:
    """Return the peak of resident memory of a command in bytes, ``file`` on a pipe; raises CommandError."""
    with tempfile.NamedTemporaryFile() as note, open(file or os.devnull, "rb") as content:
        feeder = subprocess.Popen(["cat"], stdin=content, stdout=subprocess.PIPE)
        scale = [*make_scale(note.name), *argv]
        ended = subprocess.run(scale, stdin=feeder.stdout, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert feeder.stdout is not None
        feeder.stdout.close()
        feeder.wait()
        status, _, size = read_note(note.name) if not ended.returncode else (ended.returncode, 0.0, 0)
    if status:
        raise CommandError(f"{' '.join(argv)}: {ended.stderr[-300:].decode(errors='replace')}")
    return size
