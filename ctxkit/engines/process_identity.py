"""Who was promised room: a process, told apart from later ones that get its number, and from those elsewhere."""

import os

from ctxkit.processes import is_running, read_start, read_text

UNSEEN_SECONDS = 600.0
"""Seconds after which a promise to a process that cannot be seen from here, as on another machine, is void."""


def identify_process() -> str:
    """Return the name of this process: where it runs, its number, when it began."""
    return f"{_identify_machine()} {os.getpid()} {read_start(os.getpid())}"


def has_ended(holder: str, age: float) -> bool:
    """Tell whether a holder has ended; of one that cannot be seen, whether ``age`` seconds are too many.

    An age is taken without its sign: a clock may have been set back, and then only the distance tells.
    """
    place, _, process = holder.rpartition(" ")[0].rpartition(" ")
    began = holder.rpartition(" ")[2]
    if place != _identify_machine() or not process.isdigit():
        return abs(age) > UNSEEN_SECONDS
    return not is_running(int(process)) or began != read_start(int(process))


def _identify_machine() -> str:
    """Return what tells this run of this machine, and this view of its processes, from all others."""
    try:
        view = str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        view = ""
    return f"{os.uname().nodename}/{read_text('/proc/sys/kernel/random/boot_id').strip()}/{view}"
