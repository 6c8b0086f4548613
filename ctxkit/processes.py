"""Inspect other processes of this machine: whether they run, and when they started."""

import os

CLOCK_SLACK = 60.0
"""Seconds by which a process may seem to start after it wrote a file: clocks are adjusted, and count in ticks."""


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


def _read_stat(process: int) -> list[str]:
    """Return the fields of /proc/PID/stat (proc_pid_stat(5)) from the state; empty if there is no such file."""
    return read_text(f"/proc/{process}/stat").rpartition(")")[2].split()


def _read_boot_time() -> float:
    """Return the boot time of the machine in seconds since 1970; 0 if the system does not report it."""
    _, _, rest = read_text("/proc/stat").partition("\nbtime ")
    return float(rest.partition("\n")[0] or 0)


def read_text(path: str) -> str:
    """Return the text of a system file, "" if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
