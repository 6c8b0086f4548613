"""Conversations that commands are given, and writing them back."""

import os
from typing import TYPE_CHECKING

from ctxkit.core.trouble import Locked, MissingInput, Misuse
from ctxkit.edge import source, whole

if TYPE_CHECKING:
    from ctxkit.core.chat.transcript import Transcript


def read(file: str, format_name: str | None, *, skip_bad: bool = False) -> "Transcript":
    """Return the conversation in a file or on stdin, in the format of that name if one is given.

    Raises Malformed, naming the line, where it is none.
    """
    return parsed(b"".join(source.chunks(file)), file, format_name, skip_bad=skip_bad)


def parsed(data: bytes, file: str, format_name: str | None, *, skip_bad: bool = False) -> "Transcript":
    """Return bytes as the conversation of a file."""
    from ctxkit.core.chat.format import named
    from ctxkit.core.chat.transcript import transcript_of

    forced = named(format_name) if format_name else None
    return transcript_of(data, source.name_of(file), forced, skip_bad=skip_bad)


class InPlace:
    """Write a file anew where it stands: what others see is the one or the other, never a part."""

    def __init__(self, file: str) -> None:
        """Take note of a file as it is; raises Misuse for stdin, MissingInput where it cannot be read."""
        if file in ("", "-"):
            raise Misuse("--in-place needs a FILE")
        self.path = os.path.realpath(file)
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            raise MissingInput(f"{file}: is no plain file", hint="without --in-place it is written to stdout")
        os.close(source.opened(file))
        self._state = os.stat(self.path)
        self.data = b"".join(source.chunks(file))

    def write(self, data: bytes) -> None:
        """Put other bytes in; raises Locked where somebody else changed the file meanwhile, IOFailed."""
        whole.write(self.path, data, self._confirm)

    def _confirm(self) -> None:
        if not self._unchanged():
            raise Locked(f"{self.path} was changed meanwhile, and is left as it is", hint="try again")

    def _unchanged(self) -> bool:
        state, was = os.stat(self.path), self._state
        return (state.st_ino, state.st_size, state.st_mtime_ns) == (was.st_ino, was.st_size, was.st_mtime_ns)

