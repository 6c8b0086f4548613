"""Locks of files, and whether a file is on a network mount, where locks are not safe."""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from time import monotonic, sleep

try:
    import fcntl
except ImportError:  # a system with locks of another kind
    fcntl = None  # type: ignore[assignment]
MISSING = "the file system has no file locks"
HINT = "set CTXKIT_DATA_DIR to a directory on another disk"
_BUSY = (errno.EAGAIN, errno.EACCES, errno.EINTR)
"""Error numbers of a lock that another process has."""
_NAP = 0.001
"""Seconds between two attempts."""


def lock_file(file: int, seconds: float, *, exclusive: bool = True) -> bool:
    """Lock an open file or folder; return False if other processes hold it for ``seconds``.

    Return True on a disk or system without such locks.
    """
    if fcntl is None:
        return True
    until = monotonic() + seconds
    while True:
        try:
            fcntl.flock(file, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            if monotonic() >= until:
                return False
            sleep(_NAP)
        except OSError:  # a disk without locks
            return True
        else:
            return True


def unlock_file(file: int) -> None:
    """Release the lock of an open file or folder."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)


def lacks_locks(directory: str) -> bool:
    """Return whether files in a directory cannot be locked; False if that cannot be found out."""
    if fcntl is None:
        return False
    from tempfile import TemporaryFile

    try:
        with TemporaryFile(dir=directory) as file:
            for lock in (fcntl.flock, fcntl.lockf):
                try:
                    lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError as error:
                    if error.errno not in _BUSY:
                        return True
    except OSError:
        return False
    return False


_NETWORKS = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "fuse.sshfs", "lustre", "gpfs")
"""Prefixes of network file system types, which lack the shared memory that the write-ahead log needs."""


def is_on_network(path: str) -> bool:
    """Return whether a file is on a network file system; always False except on Linux."""
    if sys.platform != "linux":
        return False
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
            rows = [line.split() for line in mounts]
    except OSError:
        return False
    real = os.path.realpath(path)
    matches = [(row[4], row[row.index("-") + 1]) for row in rows if _is_below(real, row[4])]
    return bool(matches) and max(matches, key=lambda mount: len(mount[0]))[1].startswith(_NETWORKS)


def _is_below(path: str, mount: str) -> bool:
    return path.startswith(mount if mount.endswith("/") else f"{mount}/")
