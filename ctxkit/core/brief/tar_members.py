"""Members of tar archives: their names and sizes."""

from collections.abc import Iterator

from ctxkit.core.brief.archive_sources import ByteSource
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.limits import MEMBER_NAME


class ArchiveMember(NamedTuple):
    """Hold the name and size of a member of an archive."""

    name: str
    size: int
    is_folder: bool = False


def read_tar_members(source: ByteSource) -> Iterator[ArchiveMember]:
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
