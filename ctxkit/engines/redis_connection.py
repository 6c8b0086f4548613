"""Connect to a Redis or Valkey server: bound the time and bytes of each exchange, and translate errors."""

import errno
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread
from time import monotonic
from typing import Any

from ctxkit.core.store.address import StoreAddress

FIRST_SECONDS = 0.5
"""Seconds to connect, and to send or receive the next bytes."""
_TOTAL_SECONDS = 0.8
"""Seconds of an exchange with the connection; with what follows a failure, a server that fails costs a second."""
_BYTES_PER_SECOND = 1 << 20
"""Bytes that give an exchange one more second each time."""
SMALL, LARGE = 2 << 20, 64 << 20
"""Maximum bytes of an answer of usual size, and of one that lists everything."""


class Deadline:
    """The time until which an exchange must be over, and the bytes that it may bring."""

    def __init__(self, seconds: float = FIRST_SECONDS) -> None:
        self._first, self._total = seconds, seconds / FIRST_SECONDS * _TOTAL_SECONDS
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
        self._end += size / _BYTES_PER_SECOND

    def count_received(self, size: int) -> None:
        """Count bytes of the answer; raise OSError if they are too many."""
        self._end += size / _BYTES_PER_SECOND
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


Command = tuple[Any, ...]
"""The words of a command."""


def list_setup(address: StoreAddress) -> list[Command]:
    """Return the commands that must come first on each connection: the password, and the number of the database."""
    commands: list[Command] = []
    if address.user or address.password:
        commands.append(("AUTH", *([address.user] if address.user else []), address.password))
    if address.db:
        commands.append(("SELECT", address.db))
    return commands


def make_setup(commands: Sequence[Command], deadline: Deadline) -> Callable[[Any], None]:
    """Return the function that the client calls with each new connection, whose exchanges keep a deadline.

    Nothing may be sent before the first command: the client takes an answer that is there for a fault.
    """

    def prepare(connection: Any) -> None:
        """Let the connection send the commands with the first one, and read their answers before its answer."""
        kind = type(connection)
        bound_connection(connection, deadline)
        connection.on_connect()
        if not commands:
            return

        def send_first(words: Any, check_health: bool = True) -> None:
            """Send the commands and the first one, in one piece so that no answer comes in between."""
            del connection.send_packed_command
            parts = [words] if isinstance(words, bytes) else words
            whole = b"".join([*connection.pack_commands(commands), *parts])
            kind.send_packed_command(connection, [whole], check_health)

        def read_first(*arguments: Any, **options: Any) -> Any:
            """Return the answer to the first command, or raise the error that a command of the set-up met."""
            del connection.read_response
            try:
                for _ in commands:
                    kind.read_response(connection)
            except Exception:
                connection.disconnect()
                raise
            return kind.read_response(connection, *arguments, **options)

        connection.send_packed_command, connection.read_response = send_first, read_first

    return prepare


_RIGHTS = "the user and the password are part of the URL; the user needs the keys of the prefix"
_REFUSALS = {
    "AuthenticationError WRONGPASS": (errno.EACCES, "", _RIGHTS),
    "AuthenticationError NOAUTH": (errno.EACCES, "", _RIGHTS),
    "NoPermissionError NOPERM": (errno.EACCES, "", _RIGHTS),
    "OutOfMemoryError OOM": (
        *(errno.ENOSPC, "the server's memory is full"),
        "raise its maxmemory, or set maxmemory-policy to allkeys-lru",
    ),
    "ReadOnlyError READONLY": (errno.EROFS, "", "name the primary, not a replica"),
    "BusyLoadingError LOADING": (errno.EAGAIN, "", "the server is still loading its data"),
}
"""What a server refuses, by the name of the error and its code: error number, message if not its own, and hint."""


class ServerError(OSError):
    """A failure of the server, with a hint; ``is_repeated`` if it is known from an earlier call."""

    def __init__(self, number: int, message: str, place: str, hint: str = "", *, is_repeated: bool = False) -> None:
        super().__init__(number, message, place)
        self.hint = hint
        self.is_repeated = is_repeated


def describe_error(error: Exception) -> str:
    """Return the first line of an error, without what only developers need."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:200].rstrip(".")


def find_refusal(error: Exception, text: str) -> tuple[int, str, str] | None:
    """Return the error number, the message and the hint of a refusal, None for any other error.

    Older servers put the code of a refusal into the error of a script.
    """
    kind = type(error).__name__
    for name, (number, message, hint) in _REFUSALS.items():
        if kind == name.partition(" ")[0] or f"-{name.split()[1]} " in text:
            return number, message or text, hint
    return None


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
