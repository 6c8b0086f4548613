"""Conversations that commands are given, and writing them back."""

import os
from typing import TYPE_CHECKING

from ctxkit.core.held import HeldBack
from ctxkit.core.json_memory import fits_memory
from ctxkit.core.limits import EDITABLE, PARSED
from ctxkit.core.measure import size_of
from ctxkit.core.trouble import Locked, Malformed, MissingInput, Misuse
from ctxkit.edge import source, whole

if TYPE_CHECKING:
    from ctxkit.core.chat.transcript import Transcript


def read(file: str, format_name: str | None, *, skip_bad: bool = False) -> "Transcript":
    """Return the conversation in a file or on stdin, in the format of that name if one is given.

    Raises Malformed, naming the line, where it is none.
    """
    return parsed(read_whole(file), file, format_name, skip_bad=skip_bad)


def read_whole(file: str) -> bytes:
    """Return the bytes of what is parsed whole, such as a conversation; raises Malformed above EDITABLE."""
    held = HeldBack(source.chunks(file))
    data = held.upto(EDITABLE)
    if held.size > EDITABLE:
        raise too_large(source.name_of(file) or "stdin")
    return data


def too_large(name: str) -> Malformed:
    """Return the trouble of a conversation that cannot be held as values."""
    return Malformed(f"{name}: it is larger than {size_of(EDITABLE)}", hint="pass a part, as in: tail -n 1000 FILE")


def parsed(data: bytes, file: str, format_name: str | None, *, skip_bad: bool = False) -> "Transcript":
    """Return bytes as the conversation of a file."""
    from ctxkit.core.chat.format import named
    from ctxkit.core.chat.transcript import transcript_of

    if not fits_memory(data, PARSED):
        raise Malformed(f"{source.name_of(file)}: it holds more values than fit in memory", hint="pass a part of it")
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
        self.data = read_whole(file)

    def write(self, data: bytes) -> None:
        """Put other bytes in; raises Locked where somebody else changed the file meanwhile, IOFailed."""
        whole.write(self.path, data, self._confirm)

    def _confirm(self) -> None:
        if not self._unchanged():
            raise Locked(f"{self.path} was changed meanwhile, and is left as it is", hint="try again")

    def _unchanged(self) -> bool:
        state, was = os.stat(self.path), self._state
        return (state.st_ino, state.st_size, state.st_mtime_ns) == (was.st_ino, was.st_size, was.st_mtime_ns)

