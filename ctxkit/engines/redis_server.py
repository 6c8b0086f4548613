"""Talk to a Redis or Valkey server: bound the time and bytes of each exchange, run scripts, translate errors."""

import errno
import os
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from threading import Thread
from time import monotonic
from typing import Any, NamedTuple

from ctxkit.core.store.address import StoreAddress

_FIRST_SECONDS = 0.5
"""Seconds to connect, and to send or receive the next bytes."""
_TOTAL_SECONDS = 0.8
"""Seconds of an exchange with the connection; with what follows a failure, a server that fails costs a second."""
_BYTES_PER_SECOND = 1 << 20
"""Bytes that give an exchange one more second each time."""
SMALL, LARGE = 2 << 20, 64 << 20
"""Maximum bytes of an answer of usual size, and of one that lists everything."""


class Deadline:
    """The time until which an exchange must be over, and the bytes that it may bring."""

    def __init__(self, seconds: float = _FIRST_SECONDS) -> None:
        self._first, self._total = seconds, seconds / _FIRST_SECONDS * _TOTAL_SECONDS
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


PAUSE = 30.0
"""Seconds after a lost connection during which the server is not tried again."""
_OLDEST = "6.2"
"""The oldest version of a server that is supported."""


class Script(NamedTuple):
    """A Lua script and its SHA-1, by which a server that knows the script runs it."""

    text: str
    digest: str


def make_script(text: str) -> Script:
    """Return a script."""
    from hashlib import sha1

    return Script(text, sha1(text.encode(), usedforsecurity=False).hexdigest())


class RedisServer:
    """A server at an address. ``mark`` is the path of the file whose time says when the connection was lost.

    Every method raises ServerError if the server fails, or if its answer has more than ``most`` bytes.
    """

    def __init__(
        self,
        address: StoreAddress,
        mark: str,
        warn: Callable[[str], None] = lambda _: None,
        *,
        timeout: float = _FIRST_SECONDS,
        pause: float = PAUSE,
    ) -> None:
        self.address = address
        self.mark = mark
        self._warn = warn
        self._timeout = timeout
        self._pause = pause
        self._deadline = Deadline(timeout)

    @property
    def place(self) -> str:
        """Return the address without user and password."""
        return self.address.place

    def make_key(self, tag: str, *parts: str) -> str:
        """Return a key of this tenant; keys with the same tag are on the same node of a cluster."""
        return ":".join((self.address.prefix, f"{{{tag}}}", *parts))

    def warn_of_row(self, what: str) -> None:
        """Warn that something on the server cannot be read, and is left out of a list."""
        from ctxkit.core.text.escapes import escape_line

        self._warn(f"{escape_line(what)[:100]} on {self.place} is damaged, and is not listed")

    def run(self, script: Script, keys: Sequence[str], *values: Any, most: int = SMALL) -> Any:
        """Run a script atomically, and return its answer."""

        def evaluate() -> Any:
            """Run the script by its digest, or by its text if the server does not know it."""
            from redis.exceptions import NoScriptError

            try:
                return self._client.evalsha(script.digest, len(keys), *keys, *values)
            except NoScriptError:
                return self._client.eval(script.text, len(keys), *keys, *values)

        return self._call(evaluate, most)

    def execute(self, *words: Any, most: int = SMALL) -> Any:
        """Run a command, and return its answer."""
        return self._call(lambda: self._client.execute_command(*words), most)

    def execute_many(self, commands: Iterable[Command], *, most: int = SMALL, keeps_errors: bool = False) -> list[Any]:
        """Run commands in one round trip, without a transaction; return their answers.

        A command that the server refuses raises ServerError, unless ``keeps_errors``: then its answer is None.
        """

        def run_pipeline() -> list[Any]:
            """Send all commands, and read all answers."""
            pipeline = self._client.pipeline(transaction=False)
            for words in commands:
                pipeline.execute_command(*words)
            return list(pipeline.execute(raise_on_error=not keeps_errors))

        answers: list[Any] = self._call(run_pipeline, most)
        return [None if isinstance(answer, Exception) else answer for answer in answers]

    def run_and_execute(self, script: Script, keys: Sequence[str], values: Sequence[Any], command: Command) -> Any:
        """Run a script and then a command in one round trip, in a cluster in two; return the answer of the script."""
        if self.address.cluster:
            answer = self.run(script, keys, *values)
            self.execute(*command)
            return answer

        def run_pipeline() -> Any:
            """Send both, and run the script by its text if the server does not know it."""
            from redis.exceptions import NoScriptError

            pipeline = self._client.pipeline(transaction=False)
            pipeline.evalsha(script.digest, len(keys), *keys, *values)
            pipeline.execute_command(*command)
            answers = pipeline.execute(raise_on_error=False)
            if isinstance(answers[0], NoScriptError):
                answers[0] = self._client.eval(script.text, len(keys), *keys, *values)
            for answer in answers:
                if isinstance(answer, Exception):
                    raise answer
            return answers[0]

        return self._call(run_pipeline)

    def is_paused(self) -> bool:
        """Return whether the connection was lost a short time ago."""
        try:
            return abs(time.time() - os.stat(self.mark).st_mtime) < self._pause
        except OSError:
            return False

    def close(self) -> None:
        """Close the connections."""
        if "_client" in self.__dict__:
            self._client.close()
            del self.__dict__["_client"]

    def _call(self, work: Callable[[], Any], most: int = SMALL) -> Any:
        if self.is_paused():
            hint = f"it is tried again {self._pause:.0f} seconds after the connection was lost"
            raise ServerError(errno.EHOSTDOWN, "the server is not available", self.place, hint, is_repeated=True)
        try:
            from redis.exceptions import RedisError
        except ImportError:
            from ctxkit.system.installation import install_command

            hint = install_command("redis")
            raise ServerError(errno.ENOSYS, "the library redis is not installed", self.place, hint) from None

        self._deadline.begin(most)
        try:
            return work()
        except RedisError as error:
            raise self._translate(error) from error
        except OSError as error:
            self._remember_loss()
            number = error.errno or errno.EIO
            raise ServerError(number, describe_error(error), self.place, "is the server running?") from error

    @cached_property
    def _client(self) -> Any:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        address = self.address
        places = _count_places(address.host, address.port, self._timeout) if address.host else 1
        options: dict[str, Any] = {
            "socket_timeout": self._timeout,
            "socket_connect_timeout": self._deadline.wait / places,
            "protocol": 2,
            "retry": Retry(NoBackoff(), 0),
        }
        # without these, each connection costs two more commands
        options |= {"driver_info": None} if hasattr(redis, "DriverInfo") else {"lib_name": None, "lib_version": None}
        if address.cluster:
            options |= {"username": address.user or None, "password": address.password or None}
            options["redis_connect_func"] = lambda connection: _bound_connection(connection, self._deadline)
        else:
            options["redis_connect_func"] = _make_setup(list_setup(address), self._deadline)
        if address.path:
            return redis.Redis(unix_socket_path=address.path, **options)
        options |= {"host": address.host, "port": address.port}
        if address.tls:
            files = {"ssl_ca_certs": address.ca, "ssl_certfile": address.cert, "ssl_keyfile": address.key}
            options |= {"ssl": True, **{name: path for name, path in files.items() if path}}
        return redis.RedisCluster(**options) if address.cluster else redis.Redis(**options)

    def _translate(self, error: Exception) -> ServerError:
        """Return the error of a server as an OSError with a hint; remember a lost connection."""
        import redis.exceptions as kinds

        text = describe_error(error)
        if refusal := find_refusal(error, text):
            number, message, hint = refusal
            return ServerError(number, message, self.place, hint)
        if isinstance(error, kinds.MovedError | kinds.ClusterError):
            return ServerError(errno.EREMOTE, text, self.place, "for a cluster, add ?cluster=1 to the URL")
        if isinstance(error, kinds.ConnectionError | kinds.TimeoutError | kinds.RedisClusterException):
            self._remember_loss()
            text = text.rpartition(". ")[2] if text.startswith("Error ") else text
            return ServerError(errno.ECONNREFUSED, text, self.place, "is the server running?")
        return ServerError(errno.EPROTO, text, self.place, self._explain_version())

    def _explain_version(self) -> str:
        """Return a hint about the version of the server."""
        with suppress(Exception):
            facts = self._client.info("server")
            version = str(facts.get("valkey_version") or facts["redis_version"])
            if _split_version(version) < _split_version(_OLDEST):
                return f"the server is of version {version}; {_OLDEST} or newer is required"
        return ""

    def _remember_loss(self) -> None:
        """Mark the time at which the connection was lost, for all processes of this machine."""
        from ctxkit.system.own_files import open_own_folder, touch_file

        directory, name = os.path.split(self.mark)
        with suppress(OSError), open_own_folder(directory, 1, make=True) as folder:
            touch_file(folder, name)


def _split_version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())


def list_setup(address: StoreAddress) -> list[Command]:
    """Return the commands that must come first on each connection: the password, and the number of the database."""
    commands: list[Command] = []
    if address.user or address.password:
        commands.append(("AUTH", *([address.user] if address.user else []), address.password))
    if address.db:
        commands.append(("SELECT", address.db))
    return commands


def _make_setup(commands: Sequence[Command], deadline: Deadline) -> Callable[[Any], None]:
    """Return the function that the client calls with each new connection, whose exchanges keep a deadline.

    Nothing may be sent before the first command: the client takes an answer that is there for a fault.
    """

    def prepare(connection: Any) -> None:
        """Let the connection send the commands with the first one, and read their answers before its answer."""
        kind = type(connection)
        _bound_connection(connection, deadline)
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


def _bound_connection(connection: Any, deadline: Deadline) -> None:
    """Let the socket of a connection of the client library keep a deadline, before or after its parser has it."""
    connection._sock = BoundedSocket(connection._sock, deadline)
    connection._parser.on_connect(connection)


def _count_places(host: str, port: int, seconds: float) -> int:
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
