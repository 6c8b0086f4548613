"""Open the sockets that the server listens on, or take those that the service manager opened."""

import os
import socket
import stat
from collections.abc import Mapping
from contextlib import suppress

from ctxkit.core.errors import InputOutputError, UsageError

BACKLOG = 128
FIRST_INHERITED = 3
"""Number of the first socket of a service manager (sd_listen_fds(3))."""
CONNECT_SECONDS = 1.0


def open_unix_listener(path: str) -> socket.socket:
    """Return a socket that listens at a path, which only this user can open.

    Replace the socket of a server that has ended. Raise InputOutputError if a server answers there, if the path is
    something else, or if it cannot be made.
    """
    _remove_unused(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    umask = os.umask(0o177)
    try:
        listener.bind(path)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise InputOutputError(f"{path}: {error.strerror or error}") from error
    finally:
        os.umask(umask)
    return listener


def _remove_unused(path: str) -> None:
    """Remove the socket of a server that has ended."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from error
    if not stat.S_ISSOCK(status.st_mode) or status.st_uid != os.geteuid():
        raise InputOutputError(f"{path}: exists, and is not a socket of this user")
    if is_answered(path):
        raise InputOutputError(f"{path}: a server listens here already")
    with suppress(FileNotFoundError):
        os.unlink(path)


def is_answered(path: str) -> bool:
    """Return whether a server listens at a path."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(CONNECT_SECONDS)
        try:
            probe.connect(path)
        except OSError as error:
            return isinstance(error, BlockingIOError | TimeoutError)  # its queue is full
        return True


def identify_file(path: str) -> tuple[int, int]:
    """Return the device and the number of the file at a path, (0, 0) if there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def remove_listener(path: str, identity: tuple[int, int]) -> None:
    """Remove the socket at a path, unless it is not the one with this identity, or another server listens there."""
    with suppress(OSError):
        if identify_file(path) == identity and not is_answered(path):
            os.unlink(path)


def open_network_listener(address: str) -> socket.socket:
    """Return a socket that listens at ``HOST:PORT``; raise UsageError if the address is not of this form."""
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise UsageError(f"{address} is not HOST:PORT", hint="as in 127.0.0.1:8787")
    host = host.removeprefix("[").removesuffix("]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, int(port)), family=family, backlog=BACKLOG)
    except OSError as error:
        raise InputOutputError(f"{address}: {error.strerror or error}") from error
    # Connections inherit it. Without it, the body of an answer waits 40 ms for the acknowledgement of its head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def take_inherited_listeners(environ: Mapping[str, str], process: int) -> list[socket.socket]:
    """Return the sockets that the service manager opened for this process, none without it."""
    if environ.get("LISTEN_PID") != str(process):
        return []
    number = environ.get("LISTEN_FDS", "")
    count = int(number) if number.isascii() and number.isdigit() else 0
    try:
        return [socket.socket(fileno=FIRST_INHERITED + at) for at in range(min(count, BACKLOG))]
    except OSError as error:
        raise InputOutputError(f"a socket of the service manager is not usable: {error.strerror}") from error
