"""Find out whether a file system has locks, without which processes cannot share a database."""

from __future__ import annotations

import errno

MISSING = "the file system has no file locks"
HINT = "set CTXKIT_DATA_DIR to a directory on another disk"
_BUSY = (errno.EAGAIN, errno.EACCES, errno.EINTR)
"""Error numbers of a lock that another process has."""


def lacks_locks(directory: str) -> bool:
    """Return whether files in a directory cannot be locked; False if that cannot be found out."""
    try:
        import fcntl
    except ImportError:  # a system with locks of another kind
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
