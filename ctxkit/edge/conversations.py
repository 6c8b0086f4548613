"""Read conversations for commands, also those compressed with Zstandard, and write them back."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Protocol

from ctxkit.core.errors import LockedError, MalformedInputError, MissingInputError, UsageError
from ctxkit.core.text.json_value import fits_memory
from ctxkit.core.text.limits import EDITABLE, PARSED
from ctxkit.core.text.quantity import format_size, pluralize
from ctxkit.core.text.stream import PeekableStream
from ctxkit.edge import atomic_file, say, source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctxkit.core.chat.reading.transcript import Transcript

_MAGIC = b"\x28\xb5\x2f\xfd"
"""The beginning of a frame (RFC 8878, 3.1.1)."""
MAX_RATIO, MIN_LIMIT = 1_000, 64 << 20
"""Maximum size of the content as a multiple of the compressed size, and the size that is always read: text is
compressed to a tenth, a session that repeats itself to a hundredth, and a bomb to much less."""


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool:
        """Return whether a frame has ended."""

    @property
    def unused_data(self) -> bytes:
        """Return what follows the frame."""

    @property
    def needs_input(self) -> bool:
        """Return whether all output of the input so far was returned."""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Return at most ``max_length`` bytes of the content."""


class _FrameReader:
    """Decompresses frames that follow each other in content that comes in chunks."""

    def __init__(self, name: str) -> None:
        self._name, self._frame = name, _make_decompressor(name)

    def read(self, chunk: bytes) -> Iterator[bytes]:
        """Yield what a chunk adds to the content."""
        data = chunk
        while data or not (self._frame.needs_input or self._frame.eof):
            if piece := self._frame.decompress(data, source.CHUNK):
                yield piece
            data = self._frame.unused_data if self._frame.eof else b""
            if data:
                self._frame = _make_decompressor(self._name)

    def has_ended(self) -> bool:
        """Return whether the content ends with the end of a frame."""
        return self._frame.eof


_PART_HINT = "pass a part, as in: tail -n 1000 FILE"


def read_conversation(file: str, format_name: str | None, *, skip_bad: bool = False) -> Transcript:
    """Return the conversation in a file or on stdin, in a given or detected format.

    Raise MalformedInputError with the line number if it is not a conversation.
    """
    return parse_conversation(read_session(file), file, format_name, skip_bad=skip_bad)


def read_session(file: str) -> bytes:
    """Return the bytes of a conversation that is only read: a session above ``EDITABLE`` without its subagents.

    Raise MalformedInputError if it is larger nevertheless.
    """
    stream = PeekableStream(session_chunks(file))
    data = stream.peek(EDITABLE)
    if stream.size > EDITABLE or (not data and is_large_session(file)):
        raise too_large_error(source.name_of(file) or "stdin")
    return data


def session_chunks(file: str) -> Iterable[bytes]:
    """Return the content of a file in pieces; that of one above ``EDITABLE`` without the lines of subagents."""
    return _leave_out_subagents(file) if is_large_session(file) else read_chunks(file)


def is_large_session(file: str) -> bool:
    """Return whether a regular file is too large to be read as a whole."""
    return os.path.isfile(file) and os.path.getsize(file) > EDITABLE


def _leave_out_subagents(file: str) -> Iterator[bytes]:
    from ctxkit.core.chat.reading.open_content import MainLines

    main_lines = MainLines(read_chunks(file))
    yield from main_lines
    lines, size = main_lines.left_out
    if lines:
        many = pluralize(lines, "line")
        say.inform(f"{source.name_of(file)}: {many} of subagents ({format_size(size)}) are left out")


def read_bytes(file: str, hint: str = _PART_HINT) -> bytes:
    """Return all bytes of a file that is parsed as a whole; raise MalformedInputError above ``EDITABLE``."""
    stream = PeekableStream(source.chunks(file))
    data = stream.peek(EDITABLE)
    if stream.size > EDITABLE:
        raise too_large_error(source.name_of(file) or "stdin", hint)
    if data.startswith(_MAGIC):
        name = source.name_of(file) or "stdin"
        raise MalformedInputError(f"{name}: it is compressed with Zstandard", hint="zstd -d FILE writes a plain copy")
    return data


def too_large_error(name: str, hint: str = _PART_HINT) -> MalformedInputError:
    """Return the error for a document that is too large for memory."""
    return MalformedInputError(f"{name}: it is larger than {format_size(EDITABLE)}", hint=hint)


def parse_conversation(data: bytes, file: str, format_name: str | None, *, skip_bad: bool = False) -> Transcript:
    """Return the conversation of a file's bytes."""
    from ctxkit.core.chat.reading.format_registry import get_format
    from ctxkit.core.chat.reading.transcript import parse_transcript

    if not fits_memory(data, PARSED):
        raise MalformedInputError(
            f"{source.name_of(file)}: it holds more values than fit in memory", hint="pass a part of it"
        )
    chat_format = get_format(format_name) if format_name else None
    return parse_transcript(data, source.name_of(file), chat_format, skip_bad=skip_bad)


class InPlaceFile:
    """Replaces a file in place, atomically."""

    def __init__(self, file: str) -> None:
        """Read the file and its status; raise UsageError for stdin, MissingInputError if it cannot be read."""
        if file in ("", "-"):
            raise UsageError("--in-place needs a FILE")
        self.path = os.path.realpath(file)
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            raise MissingInputError(
                f"{file} is not a regular file", hint="without --in-place, the output goes to stdout"
            )
        os.close(source.open_file(file))
        self._state = os.stat(self.path)
        self.data = read_bytes(file)

    def write(self, data: bytes) -> None:
        """Replace the content; raise LockedError if the file changed meanwhile, or InputOutputError."""
        atomic_file.write(self.path, data, self._confirm_unchanged)

    def _confirm_unchanged(self) -> None:
        if not self._is_unchanged():
            raise LockedError(f"{self.path} was changed meanwhile, and is not overwritten", hint="try again")

    def _is_unchanged(self) -> bool:
        state, old_state = os.stat(self.path), self._state
        return (state.st_ino, state.st_size, state.st_mtime_ns) == (
            old_state.st_ino,
            old_state.st_size,
            old_state.st_mtime_ns,
        )


def read_chunks(file: str) -> Iterator[bytes]:
    """Return the content of a file or of stdin in pieces, decompressed if it is compressed with Zstandard.

    Raise MalformedInputError if it is damaged, or if the library for it is not installed.
    """
    chunks = source.chunks(file)
    first = next(chunks, b"")
    while len(first) < len(_MAGIC) and (more := next(chunks, b"")):
        first += more
    if not first.startswith(_MAGIC):
        return _join(first, chunks)
    return _decompress(_join(first, chunks), source.name_of(file) or "stdin")


def _join(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest


def _decompress(chunks: Iterator[bytes], name: str) -> Iterator[bytes]:
    reader = _FrameReader(name)
    read = written = 0
    try:
        for chunk in chunks:
            read += len(chunk)
            for piece in reader.read(chunk):
                written += len(piece)
                if written > max(MIN_LIMIT, MAX_RATIO * read):
                    raise MalformedInputError(f"{name}: it decompresses to more than {format_size(written)}")
                yield piece
    except (OSError, ValueError) as error:
        raise MalformedInputError(f"{name}: it is not valid Zstandard: {error}") from None
    except Exception as error:
        if type(error).__name__ != "ZstdError":
            raise
        raise MalformedInputError(f"{name}: it is not valid Zstandard: {error}") from None
    if not reader.has_ended():
        raise MalformedInputError(f"{name}: it ends within the compressed content")


def _make_decompressor(name: str) -> _Decompressor:
    try:
        if sys.version_info >= (3, 14):
            from compression.zstd import ZstdDecompressor
        else:
            from backports.zstd import ZstdDecompressor
    except ImportError:
        from ctxkit.system.installation import install_command

        hint = f"zstd -dc FILE | ctxkit ..., or {install_command('backports.zstd')}"
        raise MalformedInputError(f"{name}: it is compressed with Zstandard", hint=hint) from None
    return ZstdDecompressor()
