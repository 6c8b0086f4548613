"""Members of archives, read from the bytes without extraction and within a decompression budget.

The modules zipfile and tarfile are unsuitable. They read directories and headers of any size that an archive declares,
and decompress members that they skip. Patterns of tarfile also take more than linear time (CVE-2024-6232).
"""

from collections.abc import Iterator
from struct import Struct

from ctxkit.core.brief.archive_sources import OutOfBudget, Read, open_source
from ctxkit.core.brief.tar_members import ArchiveMember, read_tar_members
from ctxkit.core.text.limits import ARCHIVE_MEMBERS
from ctxkit.core.text.measure import format_size, pluralize

REST_NOTE = "and what comes after, which is not read"
_ZIP_END = Struct("<4s4H2LH")
_ZIP64_END = Struct("<4sQ2H2L4Q")
_ZIP_ENTRY = Struct("<4s4B4H3L5H2L")


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
            else read_tar_members(open_source(archive_type, read, size))
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


def _make_printable(name: str) -> str:
    name = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)
    return name if len(name) <= 160 else f"{name[:160]} [+{pluralize(len(name) - 160, 'char')}]"
