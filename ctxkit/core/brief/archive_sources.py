"""Bytes of an archive, decompressed as far as they are read and within a budget."""

from collections.abc import Callable
from typing import Protocol

from ctxkit.core.text.limits import UNPACKED, UNPACKED_BASE, UNPACKED_RATIO, XZ_MEMORY

Read = Callable[[int, int], bytes]
"""Return ``length`` bytes from ``offset``, or fewer at the end."""
PIECE_BYTES = 1 << 16
"""Number of bytes decompressed at once."""


class OutOfBudget(Exception):  # noqa: N818 - names the reason why reading ends
    """Signal that an archive decompresses to more bytes than its budget."""


class ByteSource(Protocol):
    """Read bytes sequentially."""

    def read(self, length: int) -> bytes:
        """Return the next ``length`` bytes, or fewer at the end."""

    def skip(self, length: int) -> None:
        """Skip ``length`` bytes."""


class UnpackedSource:
    """Read the bytes of an uncompressed archive; skipping costs nothing."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._position = 0

    def read(self, length: int) -> bytes:
        """Return the next bytes."""
        data = self._read(self._position, length)
        self._position += len(data)
        return data

    def skip(self, length: int) -> None:
        """Skip bytes without reading them."""
        self._position += length


class Decoder(Protocol):
    """Decompress bytes in bounded steps, as the decoders of bz2 and lzma and ``_GzipDecoder`` do."""

    @property
    def needs_input(self) -> bool:
        """Return whether the decoder needs more input to continue."""

    @property
    def eof(self) -> bool:
        """Return whether the compressed data has ended."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return at most ``max_length`` decompressed bytes."""


class _GzipDecoder:
    """Give zlib's decoder the interface of those of bz2 and lzma."""

    def __init__(self) -> None:
        from zlib import decompressobj

        self._decoder = decompressobj(31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._decoder.eof

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Return at most ``max_length`` more bytes."""
        unpacked = self._decoder.decompress(self._decoder.unconsumed_tail + data, max_length)
        self.needs_input = not self._decoder.unconsumed_tail and len(unpacked) < max_length
        return unpacked


class PackedSource:
    """Decompress bytes on demand, within a budget."""

    def __init__(self, decoder: Decoder, read: Read, size: int) -> None:
        self._decoder = decoder
        self._read = read
        self._position = 0
        self._budget = min(UNPACKED_BASE + UNPACKED_RATIO * size, UNPACKED)
        self._buffer = b""

    def read(self, length: int) -> bytes:
        """Return the next bytes; raise OutOfBudget if that decompresses too many."""
        pieces, missing = [], length
        while missing and (piece := self._read_piece(missing)):
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def skip(self, length: int) -> None:
        """Decompress and discard bytes; raise OutOfBudget at once if they exceed the budget."""
        if length > self._budget + len(self._buffer):
            raise OutOfBudget
        while length and (piece := self._read_piece(length)):
            length -= len(piece)

    def _read_piece(self, most: int) -> bytes:
        while not self._buffer and not self._decoder.eof:
            if not self._budget:
                raise OutOfBudget
            data = b""
            if self._decoder.needs_input:
                data = self._read(self._position, PIECE_BYTES)
                self._position += len(data)
                if not data:
                    return b""
            self._buffer = self._decoder.decompress(data, min(PIECE_BYTES, self._budget))
            self._budget -= len(self._buffer)
        piece, self._buffer = self._buffer[:most], self._buffer[most:]
        return piece


def open_source(archive_type: str, read: Read, size: int) -> ByteSource:
    """Return the bytes of a tar, decompressed if necessary."""
    if archive_type == "tar":
        return UnpackedSource(read)
    if archive_type == "gz":
        return PackedSource(_GzipDecoder(), read, size)
    if archive_type == "bz2":
        from bz2 import BZ2Decompressor

        return PackedSource(BZ2Decompressor(), read, size)
    from lzma import LZMADecompressor

    return PackedSource(LZMADecompressor(memlimit=XZ_MEMORY), read, size)
