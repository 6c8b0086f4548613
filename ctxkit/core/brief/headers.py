"""Details from the headers of images, programs, documents and databases."""

import re
from collections.abc import Callable, Iterator

from ctxkit.core.lazy_pattern import compile_lazily

Read = Callable[[int, int], bytes]
ELF_MACHINES = {
    0x03: "x86",
    0x3E: "x86-64",
    0x28: "ARM",
    0xB7: "ARM64",
    0xF3: "RISC-V",
    0x15: "PowerPC64",
    0x16: "S390",
}
"""Machines by their number in the header of an ELF file (System V ABI)."""
ELF_TYPES = {1: "object file", 2: "program", 3: "shared library or program", 4: "core dump"}
"""File types by their number in the header of an ELF file."""
PE_MACHINES = {0x14C: "x86", 0x8664: "x86-64", 0xAA64: "ARM64", 0x1C0: "ARM"}
"""Machines by their number in the header of a PE file (Microsoft PE format)."""
MACH_O_MACHINES = {7: "x86", 0x01000007: "x86-64", 12: "ARM", 0x0100000C: "ARM64"}
"""Machines by their number in the header of a Mach-O file."""
STATEMENT = compile_lazily(
    rb"CREATE (?:VIRTUAL )?(TABLE|VIEW|INDEX|TRIGGER) +(?:IF NOT EXISTS +)?"
    rb"([\"'`\[]?[\w. -]{1,60}?[\"'`\]]?)(?<! ) {0,40}(?:\(|ON|AS|USING)",
    re.IGNORECASE,
)
SCANNED_BYTES = 8 << 20
"""Number of bytes searched for details without a fixed place, such as the pages of a PDF or a database schema."""


def read_details(kind: str, read: Read, size: int) -> Iterator[str]:
    """Yield details of a format, such as dimensions, machines, pages or tables; stop at the first broken field."""
    data = read(0, 65_536)
    for prefix, read_header in HEADER_READERS.items():
        if kind.startswith(prefix):
            try:
                yield from read_header(data, read, size)
            except (IndexError, ValueError):
                return


def _read_png(data: bytes, *_: object) -> Iterator[str]:
    yield _format_dimensions(_read_big_endian(data[16:20]), _read_big_endian(data[20:24]))


def _read_gif(data: bytes, *_: object) -> Iterator[str]:
    yield _format_dimensions(_read_little_endian(data[6:8]), _read_little_endian(data[8:10]))


def _read_jpeg(data: bytes, *_: object) -> Iterator[str]:
    """Skip the segments up to the start of a frame, and yield its dimensions."""
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        mark = data[at + 1]
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            yield _format_dimensions(_read_big_endian(data[at + 7 : at + 9]), _read_big_endian(data[at + 5 : at + 7]))
            return
        at += 2 + _read_big_endian(data[at + 2 : at + 4])


def _read_webp(data: bytes, *_: object) -> Iterator[str]:
    form = data[12:16]
    if form == b"VP8X":
        yield _format_dimensions(_read_little_endian(data[24:27]) + 1, _read_little_endian(data[27:30]) + 1)
    elif form == b"VP8 ":
        yield _format_dimensions(_read_little_endian(data[26:28]) & 0x3FFF, _read_little_endian(data[28:30]) & 0x3FFF)


def _read_wav(data: bytes, _: Read, size: int) -> Iterator[str]:
    channels, rate, speed = (
        _read_little_endian(data[22:24]),
        _read_little_endian(data[24:28]),
        _read_little_endian(data[28:32]),
    )
    yield f"{channels} channels, {rate:,} Hz" + (f", about {round(max(size - 44, 0) / speed)} s" if speed else "")


def _read_elf(data: bytes, *_: object) -> Iterator[str]:
    order = _read_little_endian if data[5] == 1 else _read_big_endian
    machine, file_type = order(data[18:20]), order(data[16:18])
    bits = 64 if data[4] == 2 else 32
    yield f"{ELF_TYPES.get(file_type, 'file')} for {ELF_MACHINES.get(machine, f'machine {machine}')}, {bits} bits"


def _read_pe(data: bytes, *_: object) -> Iterator[str]:
    at = _read_little_endian(data[60:64])
    if data[at : at + 4] == b"PE\0\0":
        library = "library" if _read_little_endian(data[at + 22 : at + 24]) & 0x2000 else "program"
        machine = _read_little_endian(data[at + 4 : at + 6])
        yield f"{library} for {PE_MACHINES.get(machine, f'machine {machine}')}"


def _read_mach_o(data: bytes, *_: object) -> Iterator[str]:
    machine = _read_little_endian(data[4:8])
    yield f"for {MACH_O_MACHINES.get(machine, f'machine {machine}')}"


def _read_pdf(data: bytes, read: Read, *_: object) -> Iterator[str]:
    """Yield the version, and the number of pages and the title if they are not compressed."""
    yield f"version {data[5:8].decode('ascii', 'replace')}"
    content = read(0, SCANNED_BYTES)
    counts = [int(count) for count in re.findall(rb"/Type\s*/Pages\b[^>]{0,200}?/Count\s+(\d{1,6})", content)]
    pages = max(counts, default=0) or len(re.findall(rb"/Type\s*/Page\b(?!s)", content))
    if pages:
        yield f"{pages:,} pages"
    title = re.search(rb"/Title\s*\(([\x20-\x7e]{1,120}?)\)", content)
    if title:
        yield f"titled {title[1].decode('ascii')}"


def _read_sqlite(data: bytes, read: Read, *_: object) -> Iterator[str]:
    yield f"{_read_big_endian(data[28:32]):,} pages of {_read_big_endian(data[16:18]) or 65_536:,} bytes"
    names_by_type: dict[str, list[str]] = {}
    for what, name in STATEMENT.findall(read(0, SCANNED_BYTES)):
        names = names_by_type.setdefault(what.decode("ascii").lower(), [])
        label = name.decode("ascii", "replace").strip(" '\"`[]")
        if label not in names and not label.startswith("sqlite_"):
            names.append(label)
    for what, names in sorted(names_by_type.items()):
        more = f" and {len(names) - 40:,} more" if len(names) > 40 else ""
        yield f"{what}: {', '.join(sorted(names)[:40])}{more}"


def _read_java_class(data: bytes, *_: object) -> Iterator[str]:
    yield f"for Java {_read_big_endian(data[6:8]) - 44}"


def _read_gzip(data: bytes, read: Read, size: int) -> Iterator[str]:
    """Yield the original file's name and its size."""
    if data[3] & 8 and not data[3] & 4:
        name = data[10:].partition(b"\0")[0].decode("latin-1")
        yield f"of {''.join(char if char.isprintable() else '?' for char in name[:120])}"
    if size < 1 << 30:
        yield f"{_read_little_endian(read(size - 4, 4)):,} bytes unpacked"


def _format_dimensions(width: int, height: int) -> str:
    return f"{width} x {height} pixels"


def _read_big_endian(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _read_little_endian(data: bytes) -> int:
    return int.from_bytes(data, "little")


HEADER_READERS: dict[str, Callable[[bytes, Read, int], Iterator[str]]] = {
    "PNG": _read_png,
    "GIF": _read_gif,
    "JPEG": _read_jpeg,
    "WebP": _read_webp,
    "WAV": _read_wav,
    "ELF": _read_elf,
    "PE ": _read_pe,
    "Mach-O program": _read_mach_o,
    "PDF": _read_pdf,
    "SQLite": _read_sqlite,
    "Java class": _read_java_class,
    "gzip": _read_gzip,
}
"""The header reader for each format prefix."""
