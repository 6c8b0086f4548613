"""Tell whether a file is on a network file system."""

import os
import sys

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
