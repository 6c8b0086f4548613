"""Send what sets up a connection together with its first command, so that it costs no round trip."""

from collections.abc import Callable, Sequence
from typing import Any

from ctxkit.core.store.address import StoreAddress
from ctxkit.engines.redis_deadline import Deadline, bound_connection

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
