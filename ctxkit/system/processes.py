"""Inspect processes of this machine, identify them across restarts and machines, and the user of a socket."""

from __future__ import annotations

import os
import sys
from time import time
from typing import TYPE_CHECKING

from ctxkit.core.errors import InputOutputError

if TYPE_CHECKING:
    from socket import socket

CLOCK_SLACK = 60.0
"""Seconds by which a process may seem to start after it wrote a file: clocks are adjusted, and count in ticks."""
UNSEEN_SECONDS = 600.0
"""Seconds after which a reservation of a process that is not visible here, as on another machine, expires."""
LEFTOVER_SECONDS = 600
"""Age in seconds from which a temporary file is a leftover, whatever process has its number: no write takes longer."""
_FIRST_PROCESSES = 2
"""The greatest number of a process that a namespace of processes was made for: it is process 1, or its first child."""


def is_sandboxed(process: int) -> bool:
    """Return whether all that a process leaves behind ends soon after it, with a namespace that was made for it.

    The end of process 1 of a namespace ends all others there. A sandbox as Codex makes it has a process 1 that starts
    the command as the second one, and waits for it.
    """
    return process <= _FIRST_PROCESSES


def is_running(process: int) -> bool:
    """Return whether a process runs; True if the system does not report it.

    A process that has ended stays in the process table until its parent reads its status (a zombie). It does not run
    any more, and its parent may never read it.
    """
    if os.name == "nt":  # signal 0 is Ctrl-C there
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return _read_stat(process)[:1] not in (["Z"], ["X"])


def read_start(process: int) -> str:
    """Return the start of a process in clock ticks since boot; "" if the system does not report it."""
    fields = _read_stat(process)
    return fields[19] if len(fields) > 19 else ""


def may_have_written(process: int, modified: float) -> bool:
    """Return whether a process runs and started before a file was last modified (seconds since 1970).

    A process that started later is another process with the same number.
    """
    if not is_running(process):
        return False
    ticks, booted = read_start(process), _read_boot_time()
    if not ticks or not booted:
        return True
    return booted + int(ticks) / os.sysconf("SC_CLK_TCK") <= modified + CLOCK_SLACK


def is_leftover(process: int, modified: float) -> bool:
    """Return whether the writer of a temporary file is gone, or the file is older than any write takes.

    ``process`` is 0 if it is unknown, ``modified`` in seconds since 1970.
    """
    return time() - modified > LEFTOVER_SECONDS or (process > 0 and not may_have_written(process, modified))


def _read_stat(process: int) -> list[str]:
    """Return the fields of /proc/PID/stat (proc_pid_stat(5)) from the state; empty if there is no such file."""
    return _read_text(f"/proc/{process}/stat").rpartition(")")[2].split()


def _read_boot_time() -> float:
    """Return the boot time of the machine in seconds since 1970; 0 if the system does not report it."""
    _, _, rest = _read_text("/proc/stat").partition("\nbtime ")
    return float(rest.partition("\n")[0] or 0)


def _read_text(path: str) -> str:
    """Return the text of a system file, "" if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def identify_process() -> str:
    """Return the identity of this process: its machine, its number and its start time."""
    return f"{_identify_machine()} {os.getpid()} {read_start(os.getpid())}"


def has_ended(holder: str, age: float) -> bool:
    """Return whether a process has ended; if it is not visible here, whether ``age`` is over ``UNSEEN_SECONDS``.

    Use the absolute age: a clock may have been set back.
    """
    place, _, process = holder.rpartition(" ")[0].rpartition(" ")
    began = holder.rpartition(" ")[2]
    if place != _identify_machine() or not process.isdigit():
        return abs(age) > UNSEEN_SECONDS
    return not is_running(int(process)) or began != read_start(int(process))


def _identify_machine() -> str:
    """Return an identity of this boot of this machine and of its process namespace."""
    try:
        view = str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        view = ""
    return f"{os.uname().nodename}/{_read_text('/proc/sys/kernel/random/boot_id').strip()}/{view}"


_LOCAL_LEVEL, _LOCAL_PEERCRED = 0, 1
"""Level and name of the option that macOS and the BSDs have instead of SO_PEERCRED (sys/un.h)."""
_XUCRED = "=Ii"
"""Beginning of struct xucred: its version and the user (sys/ucred.h)."""
_UCRED = "=iII"
"""struct ucred: process, user and group (unix(7))."""


def read_peer_uid(connection: socket) -> int:
    """Return the user id of the process that connected, or that listened; raise InputOutputError if it is unknown."""
    import socket
    import struct

    try:
        if hasattr(socket, "SO_PEERCRED"):
            data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize(_UCRED))
            return int(struct.unpack(_UCRED, data)[1])
        if sys.platform == "darwin" or "bsd" in sys.platform:
            data = connection.getsockopt(_LOCAL_LEVEL, _LOCAL_PEERCRED, 76)
            return int(struct.unpack_from(_XUCRED, data)[1])
    except (OSError, struct.error) as error:
        raise InputOutputError(f"the user of a connection is not known: {error}") from error
    raise InputOutputError("this system does not say who connects to a socket")
