"""Members of archives, read from the bytes without extraction and within a decompression budget.

The modules zipfile and tarfile are unsuitable. They read directories and headers of any size that an archive declares,
and decompress members that they skip. Patterns of tarfile also take more than linear time (CVE-2024-6232).
"""

from collections.abc import Callable, Iterator
from struct import Struct
from typing import NamedTuple, Protocol

from ctxkit.core.text.limits import (
    ARCHIVE_MEMBERS,
    MEMBER_NAME,
    UNPACKED,
    UNPACKED_BASE,
    UNPACKED_RATIO,
    XZ_MEMORY,
)
from ctxkit.core.text.measure import format_size, pluralize

Read = Callable[[int, int], bytes]
"""Return ``length`` bytes from ``offset``, or fewer at the end."""
PIECE_BYTES = 1 << 16
"""Number of bytes decompressed at once."""
REST_NOTE = "and what comes after, which is not read"
_ZIP_END = Struct("<4s4H2LH")
_ZIP64_END = Struct("<4sQ2H2L4Q")
_ZIP_ENTRY = Struct("<4s4B4H3L5H2L")


class ArchiveMember(NamedTuple):
    """Hold the name and size of a member of an archive."""

    name: str
    size: int
    is_folder: bool = False


class OutOfBudget(Exception):  # noqa: N818 - names the reason why reading ends
    """Signal that an archive decompresses to more bytes than its budget."""


def list_members(archive_type: str, read: Read, size: int) -> list[str] | None:
    """Return a line for each member of a ``zip`` or ``tar`` archive, or of a tar compressed as ``gz``, ``bz2`` or
    ``xz``.

    Return None if the archive cannot be read. If the content exceeds the budget, the list is incomplete and says so.
    """
    lines: list[str] = []
    try:
        for member in (
            _read_zip_members(read, size)
            if archive_type == "zip"
            else _read_tar_members(_open_source(archive_type, read, size))
        ):
            if len(lines) >= ARCHIVE_MEMBERS:
                return [*lines, REST_NOTE]
            if not member.is_folder:
                lines.append(f"{_make_printable(member.name)} ({format_size(member.size)})")
    except OutOfBudget:
        return [*lines, REST_NOTE] if lines else None
    except Exception:  # broken archives raise nearly anything: struct.error, zlib.error, ValueError, LZMAError
        return None
    return lines


def _read_zip_members(read: Read, size: int) -> Iterator[ArchiveMember]:
    """Yield the members in the central directory of a ZIP archive; raise ValueError if it is broken."""
    count, at, end = _find_zip_directory(read, size)
    for _ in range(count):
        if at + _ZIP_ENTRY.size > end:
            raise ValueError("the directory is cut off")
        entry = _ZIP_ENTRY.unpack(read(at, _ZIP_ENTRY.size))
        name_size, extra_size, comment_size = entry[12:15]
        if entry[0] != b"PK\1\2":
            raise ValueError("the directory is broken")
        at += _ZIP_ENTRY.size
        octets = read(at, name_size)
        name = octets.decode("utf-8" if entry[5] & 0x800 else "cp437", "replace").partition("\0")[0]
        length = entry[11]
        if length == 0xFFFFFFFF:
            length = _read_zip64_size(read(at + name_size, extra_size))
        yield ArchiveMember(name, length, name.endswith("/"))
        at += name_size + extra_size + comment_size


def _find_zip_directory(read: Read, size: int) -> tuple[int, int, int]:
    """Return the number of entries in the central directory, its offset, and the offset of its end."""
    start = max(size - _ZIP_END.size - 0xFFFF, 0)
    tail = read(start, size - start)
    end_offset = tail.rindex(b"PK\5\6")
    end = _ZIP_END.unpack_from(tail, end_offset)
    count, length, stop = end[4], end[5], start + end_offset
    locator = read(max(stop - 20, 0), 20)
    if locator.startswith(b"PK\6\7") and (count == 0xFFFF or 0xFFFFFFFF in (length, end[6])):
        stop = int.from_bytes(locator[8:16], "little")
        large = _ZIP64_END.unpack(read(stop, _ZIP64_END.size))
        if large[0] != b"PK\6\6":
            stop = start + end_offset - 20 - _ZIP64_END.size
            large = _ZIP64_END.unpack(read(stop, _ZIP64_END.size))
        count, length = large[7], large[8]
    if length > stop:
        raise ValueError("the directory is cut off")
    return count, stop - length, stop


def _read_zip64_size(extra: bytes) -> int:
    """Return the size of a member of more than 4 GB, from its extra field."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = int.from_bytes(extra[at : at + 2], "little"), int.from_bytes(extra[at + 2 : at + 4], "little")
        if kind == 1 and length >= 8:
            return int.from_bytes(extra[at + 4 : at + 12], "little")
        at += 4 + length
    return 0xFFFFFFFF


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


def _open_source(archive_type: str, read: Read, size: int) -> ByteSource:
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


def _read_tar_members(source: ByteSource) -> Iterator[ArchiveMember]:
    """Yield the members of a tar archive; raise ValueError if the first header is invalid."""
    name, length, count = "", -1, 0
    while len(header := source.read(512)) == 512 and any(header):
        if not _is_tar_header(header):
            if count:
                return
            raise ValueError("no member begins here")
        size, kind = _parse_tar_number(header[124:136]), header[156:157]
        padded = -(-size // 512) * 512
        if kind in b"LxgK" and size:
            content = source.read(min(size, MEMBER_NAME))
            source.skip(padded - len(content))
            if kind == b"L":
                name = _decode_field(content)
            elif kind == b"x":
                fields = _parse_pax_fields(content)
                name, length = fields.get("path", name), int(fields.get("size", length))
            continue
        count += 1
        is_folder = kind == b"5"
        if length >= 0:
            size = length
        yield ArchiveMember(name or _read_tar_name(header), size, is_folder)
        source.skip(0 if kind in b"12345" and kind else -(-size // 512) * 512)
        name, length = "", -1
    if not count and not header:
        raise ValueError("it is empty")


def _is_tar_header(header: bytes) -> bool:
    """Return whether the checksum of a tar header is correct."""
    try:
        return _parse_tar_number(header[148:156]) == sum(header) - sum(header[148:156]) + 8 * 32
    except ValueError:
        return False


def _parse_tar_number(field: bytes) -> int:
    """Return a number of a tar header: octal digits, or base 256 for large numbers."""
    if field[0] & 0x80:
        return int.from_bytes(field[1:], "big")
    return int(field.partition(b"\0")[0].strip() or b"0", 8)


def _read_tar_name(header: bytes) -> str:
    name = _decode_field(header[:100])
    prefix = _decode_field(header[345:500]) if header[257:263] == b"ustar\0" else ""
    return f"{prefix}/{name}" if prefix else name


def _decode_field(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "replace")


def _parse_pax_fields(data: bytes) -> dict[str, str]:
    """Return the fields of a pax header, which has records of the form ``length key=value`` and a newline."""
    fields: dict[str, str] = {}
    while data:
        digits = data[:20].partition(b" ")[0]
        length = int(digits)
        if length <= len(digits):
            break
        key, _, value = data[len(digits) + 1 : length - 1].partition(b"=")
        fields[key.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
        data = data[length:]
    return fields


def _make_printable(name: str) -> str:
    name = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)
    return name if len(name) <= 160 else f"{name[:160]} [+{pluralize(len(name) - 160, 'char')}]"
