"""Read content that is compressed with Zstandard, as Codex keeps sessions that are older than seven days."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.text.quantity import format_size
from ctxkit.edge import source

if TYPE_CHECKING:
    from collections.abc import Iterator

MAGIC = b"\x28\xb5\x2f\xfd"
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


def read_chunks(file: str) -> Iterator[bytes]:
    """Return the content of a file or of stdin in pieces, decompressed if it is compressed with Zstandard.

    Raise MalformedInputError if it is damaged, or if the library for it is not installed.
    """
    chunks = source.chunks(file)
    first = next(chunks, b"")
    while len(first) < len(MAGIC) and (more := next(chunks, b"")):
        first += more
    if not first.startswith(MAGIC):
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
