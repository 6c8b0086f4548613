"""Other processes of this machine: whether one still runs, and when it started."""

import os

CLOCK_SLACK = 60.0
"""Seconds by which a process may seem to start after a file that it wrote: clocks are set, and count in ticks."""


def is_running(process: int) -> bool:
    """Return whether a process runs; if the system does not say, it does.

    A process that ended stays in the table of processes until its parent asks for its status (a zombie). It does not
    run any more, and its parent may never ask.
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
    """Return when a process started, in clock ticks since the machine did; empty if the system does not say."""
    fields = _read_stat(process)
    return fields[19] if len(fields) > 19 else ""


def may_have_written(process: int, modified: float) -> bool:
    """Return whether a process runs and started before a file was last modified (seconds since the epoch).

    A process that started later is another one, which got the number of the writer.
    """
    if not is_running(process):
        return False
    ticks, booted = read_start(process), _read_boot_time()
    if not ticks or not booted:
        return True
    return booted + int(ticks) / os.sysconf("SC_CLK_TCK") <= modified + CLOCK_SLACK


def _read_stat(process: int) -> list[str]:
    """Return the fields of /proc/PID/stat (proc_pid_stat(5)) from the state on; none where there is no such file."""
    return read_text(f"/proc/{process}/stat").rpartition(")")[2].split()


def _read_boot_time() -> float:
    """Return when the machine started, in seconds since the epoch; 0 if the system does not say."""
    _, _, rest = read_text("/proc/stat").partition("\nbtime ")
    return float(rest.partition("\n")[0] or 0)


def read_text(path: str) -> str:
    """Return the text of a file of the system, empty if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
