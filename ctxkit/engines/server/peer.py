"""Ask the system which user is at the other end of a Unix socket."""

import socket
import struct
import sys

from ctxkit.core.errors import InputOutputError

_LOCAL_LEVEL, _LOCAL_PEERCRED = 0, 1
"""Level and name of the option that macOS and the BSDs have instead of SO_PEERCRED (sys/un.h)."""
_XUCRED = struct.Struct("=Ii")
"""Beginning of struct xucred: its version and the user (sys/ucred.h)."""
_UCRED = struct.Struct("=iII")
"""struct ucred: process, user and group (unix(7))."""


def read_peer_uid(connection: socket.socket) -> int:
    """Return the user id of the process that connected, or that listened; raise InputOutputError if it is unknown."""
    try:
        if hasattr(socket, "SO_PEERCRED"):
            data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
            return int(_UCRED.unpack(data)[1])
        if sys.platform == "darwin" or "bsd" in sys.platform:
            data = connection.getsockopt(_LOCAL_LEVEL, _LOCAL_PEERCRED, 76)
            return int(_XUCRED.unpack_from(data)[1])
    except (OSError, struct.error) as error:
        raise InputOutputError(f"the user of a connection is not known: {error}") from error
    raise InputOutputError("this system does not say who connects to a socket")
