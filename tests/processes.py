"""Waiting for processes."""

import time


def wait_until_gone(pid: int) -> bool:
    """Wait until a process is dead, and return whether it is; a zombie that nobody waits for is."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.02)
    return False
