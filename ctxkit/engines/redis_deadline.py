"""Bound the time and the bytes of each exchange with a server: a socket that counts both.

The client library waits for each read anew, so that a server that sends a byte now and then would hold it for ever.
"""

import errno
import socket
from contextlib import suppress
from threading import Thread
from time import monotonic
from typing import Any

FIRST_SECONDS = 0.5
"""Seconds to connect, and to send or receive the next bytes."""
TOTAL_SECONDS = 0.8
"""Seconds of an exchange with the connection; with what follows a failure, a server that fails costs a second."""
BYTES_PER_SECOND = 1 << 20
"""Bytes that give an exchange one more second each time."""
SMALL, LARGE = 2 << 20, 64 << 20
"""Maximum bytes of an answer of usual size, and of one that lists everything."""


class Deadline:
    """The time until which an exchange must be over, and the bytes that it may bring."""

    def __init__(self, seconds: float = FIRST_SECONDS) -> None:
        self._first, self._total = seconds, seconds / FIRST_SECONDS * TOTAL_SECONDS
        self._end = 0.0
        self._bytes_left = 0

    def begin(self, most_bytes: int) -> None:
        """Begin an exchange whose answer has some bytes at most."""
        self._end, self._bytes_left = monotonic() + self._total, most_bytes

    @property
    def wait(self) -> float:
        """Return the seconds until the next bytes must have come; raise TimeoutError if the time is over."""
        left = self._end - monotonic()
        if left <= 0:
            raise TimeoutError("the server takes too long")
        return min(left, self._first)

    def count_sent(self, size: int) -> None:
        """Count bytes that were sent."""
        self._end += size / BYTES_PER_SECOND

    def count_received(self, size: int) -> None:
        """Count bytes of the answer; raise OSError if they are too many."""
        self._end += size / BYTES_PER_SECOND
        self._bytes_left -= size
        if self._bytes_left < 0:
            raise OSError(errno.EMSGSIZE, "the answer of the server is too large")


class BoundedSocket:
    """A socket whose reads and writes end at a deadline; everything else is that of the socket."""

    def __init__(self, connection: socket.socket, deadline: Deadline) -> None:
        self._connection, self._deadline = connection, deadline
        self._blocks = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def settimeout(self, seconds: float | None) -> None:
        """Note whether a read may wait at all; how long it may, the deadline says."""
        self._blocks = seconds != 0

    def recv(self, size: int, *flags: int) -> bytes:
        """Return the next bytes."""
        self._limit_wait()
        data = self._connection.recv(size, *flags)
        self._deadline.count_received(len(data))
        return data

    def recv_into(self, buffer: Any, *arguments: int) -> int:
        """Read the next bytes into a buffer."""
        self._limit_wait()
        size = self._connection.recv_into(buffer, *arguments)
        self._deadline.count_received(size)
        return size

    def sendall(self, data: bytes) -> None:
        """Send bytes."""
        view = memoryview(data)
        while view:
            self._limit_wait()
            size = self._connection.send(view)
            self._deadline.count_sent(size)
            view = view[size:]

    def _limit_wait(self) -> None:
        self._connection.settimeout(self._deadline.wait if self._blocks else 0)


def bound_connection(connection: Any, deadline: Deadline) -> None:
    """Let the socket of a connection of the client library keep a deadline, before or after its parser has it."""
    connection._sock = BoundedSocket(connection._sock, deadline)
    connection._parser.on_connect(connection)


def count_places(host: str, port: int, seconds: float) -> int:
    """Return how many addresses the name of a host has, 1 if there is none.

    Raise TimeoutError if that takes too long, which no option of a socket bounds.
    """
    places: list[Any] = []

    def resolve() -> None:
        """Look up the name; the client reports a failure."""
        with suppress(OSError, UnicodeError):
            places.extend(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))

    thread = Thread(target=resolve, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError("the name of the host is not resolved in time")
    return max(len(places), 1)
