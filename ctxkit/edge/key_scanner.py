"""Ask the process that knows the key formats of the extra ``redact``."""

from __future__ import annotations

import json
import os
import sys
from select import select
from time import monotonic
from typing import TYPE_CHECKING

from ctxkit.core.errors import InputOutputError

if TYPE_CHECKING:
    from subprocess import Popen

MAX_SECONDS = 30.0
"""Seconds after which a scanner that does not answer has failed; a block takes less than one."""
MAX_ANSWER = 1 << 24
"""Bytes of an answer above which a scanner has failed."""
_PROGRAM = "ctxkit.engines.key_scanner"
_scanner: KeyScannerProcess | None = None


class KeyScannerProcess:
    """A process that finds keys in text; it starts with the first text and ends with this process."""

    def __init__(self) -> None:
        self._process: Popen[bytes] | None = None
        self._owner = 0

    def scan(self, text: str) -> list[tuple[str, str]]:
        """Return the rule and the value of each key; raise InputOutputError if the process fails."""
        if self._process is None or self._owner != os.getpid():
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(text).encode() + b"\n")
            self._process.stdin.flush()
            return [(rule, value) for rule, value in json.loads(self._read_answer())]
        except (OSError, ValueError, TypeError) as error:
            self.close()
            raise InputOutputError(f"the scanner for keys failed: {error}") from error

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._owner == os.getpid():
            self._process.kill()
            self._process.communicate()
        self._process = None

    def _start(self) -> None:
        from subprocess import PIPE, Popen

        foreign = ("BETTERLEAKS", "GITLEAKS")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        command = [sys.executable, "-P", "-m", _PROGRAM]
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, cwd="/", env=environment, bufsize=0, process_group=0)
        self._owner = os.getpid()

    def _read_answer(self) -> bytes:
        """Return the next line of the process; raise OSError if there is none in time."""
        assert self._process is not None
        assert self._process.stdout is not None
        descriptor, deadline, answer = self._process.stdout.fileno(), monotonic() + MAX_SECONDS, bytearray()
        while not answer.endswith(b"\n"):
            if len(answer) > MAX_ANSWER or not select([descriptor], [], [], max(deadline - monotonic(), 0))[0]:
                raise TimeoutError("no answer")
            piece = os.read(descriptor, 1 << 16)
            if not piece:
                raise BrokenPipeError("it ended")
            answer += piece
        return bytes(answer)


def open_key_scanner() -> KeyScannerProcess | None:
    """Return the scanner of this process, None if the extra ``redact`` is not installed."""
    global _scanner
    if _scanner is None:
        from importlib.util import find_spec

        if find_spec("betterleaks") is None:
            return None
        _scanner = KeyScannerProcess()
    return _scanner
