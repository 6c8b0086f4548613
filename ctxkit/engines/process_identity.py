"""Identify processes across restarts, process id reuse and machines."""

import os

from ctxkit.processes import is_running, read_start, read_text

UNSEEN_SECONDS = 600.0
"""Seconds after which a reservation of a process that is not visible here, as on another machine, expires."""


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
    return f"{os.uname().nodename}/{read_text('/proc/sys/kernel/random/boot_id').strip()}/{view}"
