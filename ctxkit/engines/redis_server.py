"""Talk to a Redis or Valkey server: connect with a bound on the delay, run scripts, and translate errors."""

import errno
import os
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, NamedTuple

from ctxkit.core.store.address import StoreAddress
from ctxkit.engines.redis_connection import (
    FIRST_SECONDS,
    SMALL,
    Command,
    Deadline,
    ServerError,
    bound_connection,
    count_places,
    describe_error,
    find_refusal,
    list_setup,
    make_setup,
)

PAUSE = 30.0
"""Seconds after a lost connection during which the server is not tried again."""
OLDEST = "6.2"
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
        timeout: float = FIRST_SECONDS,
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
        places = count_places(address.host, address.port, self._timeout) if address.host else 1
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
            options["redis_connect_func"] = lambda connection: bound_connection(connection, self._deadline)
        else:
            options["redis_connect_func"] = make_setup(list_setup(address), self._deadline)
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
            if _split_version(version) < _split_version(OLDEST):
                return f"the server is of version {version}; {OLDEST} or newer is required"
        return ""

    def _remember_loss(self) -> None:
        """Mark the time at which the connection was lost, for all processes of this machine."""
        from ctxkit.system.own_files import open_own_folder, touch_file

        directory, name = os.path.split(self.mark)
        with suppress(OSError), open_own_folder(directory, 1, make=True) as folder:
            touch_file(folder, name)


def _split_version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())
