"""The most memory that a command held, told by a small process that starts it.

A process is born with the peak of the one that forked it, so a large one cannot weigh a small one:
this file runs as a script of its own, in an interpreter that has loaded next to nothing.
"""

import os
import subprocess
import sys
from collections.abc import Sequence

from bench.process import CommandError

SCRIPT = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, ended, usage = os.wait4(pid, 0)
peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
sys.stderr.write(f"\\n{os.waitstatus_to_exitcode(ended)} {peak}\\n")
"""


def peak(argv: Sequence[str], *, file: str = "", status: int = 0) -> int:
    """Return the peak of resident memory of a command in bytes, ``file`` on a pipe; raises CommandError."""
    feeder = subprocess.Popen(["cat", file or os.devnull], stdout=subprocess.PIPE)
    scale = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", SCRIPT, *argv],
        stdin=feeder.stdout,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert feeder.stdout is not None
    feeder.stdout.close()
    talk = scale.communicate()[1].decode(errors="replace")
    feeder.wait()
    words = talk.rstrip("\n").rpartition("\n")[2].split()
    if len(words) != 2 or int(words[0]) != status:
        raise CommandError(f"{' '.join(argv)}: {talk[-300:]}")
    return int(words[1])
