"""What a verb writes and says in another process, written and said in this one."""

import sys
from collections.abc import Callable
from typing import Any

from ctxkit.core.text.isolation import WorkerDiedError
from ctxkit.edge import out, say

PIECE = 1 << 20
"""Bytes of output that are sent at once."""
COMMIT = "ask commit"
"""The message that what was written is a whole answer, after which whoever sent it waits until it is out."""


class Relay:
    """Hold what another process writes and says until it has ended well, or says that an answer is whole."""

    def __init__(self) -> None:
        self._messages: list[tuple[str, Any]] = []
        self.committed = False

    def receive(self, kind: str, value: Any) -> None:
        """Take a message; raises WorkerDied when it is none of ours, BrokenPipeError where nobody reads the answer."""
        if kind == COMMIT:
            self.committed = True
            self.replay()
        elif (kind == "out" and isinstance(value, bytes)) or (kind == "say" and isinstance(value, str)):
            self._messages.append((kind, value))
        else:
            raise WorkerDiedError("sent garbage")

    def replay(self) -> None:
        """Write and say what is held, in the order in which it came."""
        messages, self._messages = self._messages, []
        for kind, value in messages:
            if kind == "out":
                out.write((value,))
            else:
                say.write(value)


class RelayedStdout:
    """Stand in for stdout in the other process; with ``commit``, each flush says that the answer is whole."""

    def __init__(self, send: Callable[[str, Any], None], commit: Callable[[str, Any], None] | None = None) -> None:
        self._send, self._commit = send, commit
        self._terminal = sys.stdout is not None and sys.stdout.isatty()
        self._pieces: list[bytes] = []
        self._size = 0
        self.buffer = self

    def write(self, data: bytes | memoryview) -> int:
        """Take bytes."""
        self._pieces.append(bytes(data))
        self._size += len(data)
        if self._size >= PIECE:
            self._send_pending()
        return len(data)

    def flush(self) -> None:
        """Pass on what was written."""
        self._send_pending()
        if self._commit is not None:
            self._commit(COMMIT, None)

    def isatty(self) -> bool:
        """Tell whether what is written ends on a terminal."""
        return self._terminal

    def _send_pending(self) -> None:
        pieces, self._pieces, self._size = self._pieces, [], 0
        if pieces:
            self._send("out", b"".join(pieces))


def redirect_output(send: Callable[[str, Any], None], commit: Callable[[str, Any], None] | None = None) -> None:
    """Hand what is written and said from now on to another process; a stdout that is closed stays closed."""
    if sys.stdout is not None:
        sys.stdout = RelayedStdout(send, commit)
    say.redirect(lambda line: send("say", line))
