"""Relay the output and messages of a worker process."""

import sys
from collections.abc import Callable
from typing import Any

from ctxkit.core.text.limits import WorkerDiedError
from ctxkit.edge import out, say

PIECE = 1 << 20
"""Bytes of output per message."""
COMMIT = "ask commit"
"""Message that the output so far is a complete answer; its sender waits until it is written."""


class Relay:
    """Buffers the output and messages of another process until it has ended or completed an answer."""

    def __init__(self) -> None:
        self._messages: list[tuple[str, Any]] = []
        self.committed = False

    def receive(self, kind: str, value: Any) -> None:
        """Handle a message; raise WorkerDiedError for an unknown one, BrokenPipeError if stdout is closed."""
        if kind == COMMIT:
            self.committed = True
            self.replay()
        elif (kind == "out" and isinstance(value, bytes)) or (kind == "say" and isinstance(value, str)):
            self._messages.append((kind, value))
        else:
            raise WorkerDiedError("sent garbage")

    def replay(self) -> None:
        """Write the buffered output and messages in order."""
        messages, self._messages = self._messages, []
        for kind, value in messages:
            if kind == "out":
                out.write((value,))
            else:
                say.write(value)


class RelayedStdout:
    """Replaces stdout in the worker; with ``commit``, each flush completes the answer."""

    def __init__(self, send: Callable[[str, Any], None], commit: Callable[[str, Any], None] | None = None) -> None:
        self._send, self._commit = send, commit
        self._terminal = sys.stdout is not None and sys.stdout.isatty()
        self._pieces: list[bytes] = []
        self._size = 0
        self.buffer = self

    def write(self, data: bytes | memoryview) -> int:
        """Write bytes."""
        self._pieces.append(bytes(data))
        self._size += len(data)
        if self._size >= PIECE:
            self._send_pending()
        return len(data)

    def flush(self) -> None:
        """Send the buffered bytes."""
        self._send_pending()
        if self._commit is not None:
            self._commit(COMMIT, None)

    def isatty(self) -> bool:
        """Return whether the output goes to a terminal."""
        return self._terminal

    def _send_pending(self) -> None:
        pieces, self._pieces, self._size = self._pieces, [], 0
        if pieces:
            self._send("out", b"".join(pieces))


def redirect_output(send: Callable[[str, Any], None], commit: Callable[[str, Any], None] | None = None) -> None:
    """Send all output and messages of this process to another process; a closed stdout stays closed."""
    if sys.stdout is not None:
        sys.stdout = RelayedStdout(send, commit)
    say.redirect(lambda line: send("say", line))
