"""What the first bytes of images, programs, documents and databases say beyond their kind."""

import re
from collections.abc import Callable, Iterator

Read = Callable[[int, int], bytes]
MACHINES = {0x03: "x86", 0x3E: "x86-64", 0x28: "ARM", 0xB7: "ARM64", 0xF3: "RISC-V", 0x15: "PowerPC64", 0x16: "S390"}
"""Machines by their number in the header of an ELF file (System V ABI)."""
MADE = {1: "object file", 2: "program", 3: "shared library or program", 4: "core dump"}
"""Types of an ELF file."""
PE = {0x14C: "x86", 0x8664: "x86-64", 0xAA64: "ARM64", 0x1C0: "ARM"}
"""Machines by their number in the header of a PE file (Microsoft PE format)."""
MACH = {7: "x86", 0x01000007: "x86-64", 12: "ARM", 0x0100000C: "ARM64"}
"""Machines by their number in the header of a Mach-O file."""
STATEMENT = re.compile(
    rb"CREATE (?:VIRTUAL )?(TABLE|VIEW|INDEX|TRIGGER) +(?:IF NOT EXISTS +)?"
    rb"([\"'`\[]?[\w. -]{1,60}?[\"'`\]]?)(?<! ) {0,40}(?:\(|ON|AS|USING)",
    re.IGNORECASE,
)
SCANNED = 8 << 20
"""Bytes that are searched for what may stand anywhere, such as the pages of a PDF or the schema of a database."""


def details(kind: str, read: Read, size: int) -> Iterator[str]:
    """Yield what there is to say of bytes of a kind: dimensions, machines, pages, tables. Broken ones say less."""
    data = read(0, 65_536)
    for begins, told in TOLD.items():
        if kind.startswith(begins):
            try:
                yield from told(data, read, size)
            except (IndexError, ValueError):
                return


def _png(data: bytes, *_: object) -> Iterator[str]:
    yield _pixels(_big(data[16:20]), _big(data[20:24]))


def _gif(data: bytes, *_: object) -> Iterator[str]:
    yield _pixels(_little(data[6:8]), _little(data[8:10]))


def _jpeg(data: bytes, *_: object) -> Iterator[str]:
    """Walk the segments up to the one that begins a frame."""
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        mark = data[at + 1]
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            yield _pixels(_big(data[at + 7 : at + 9]), _big(data[at + 5 : at + 7]))
            return
        at += 2 + _big(data[at + 2 : at + 4])


def _webp(data: bytes, *_: object) -> Iterator[str]:
    form = data[12:16]
    if form == b"VP8X":
        yield _pixels(_little(data[24:27]) + 1, _little(data[27:30]) + 1)
    elif form == b"VP8 ":
        yield _pixels(_little(data[26:28]) & 0x3FFF, _little(data[28:30]) & 0x3FFF)


def _wav(data: bytes, _: Read, size: int) -> Iterator[str]:
    channels, rate, speed = _little(data[22:24]), _little(data[24:28]), _little(data[28:32])
    yield f"{channels} channels, {rate:,} Hz" + (f", about {round(max(size - 44, 0) / speed)} s" if speed else "")


def _elf(data: bytes, *_: object) -> Iterator[str]:
    order = _little if data[5] == 1 else _big
    machine, made = order(data[18:20]), order(data[16:18])
    bits = 64 if data[4] == 2 else 32
    yield f"{MADE.get(made, 'file')} for {MACHINES.get(machine, f'machine {machine}')}, {bits} bits"


def _pe(data: bytes, *_: object) -> Iterator[str]:
    at = _little(data[60:64])
    if data[at : at + 4] == b"PE\0\0":
        library = "library" if _little(data[at + 22 : at + 24]) & 0x2000 else "program"
        machine = _little(data[at + 4 : at + 6])
        yield f"{library} for {PE.get(machine, f'machine {machine}')}"


def _mach(data: bytes, *_: object) -> Iterator[str]:
    machine = _little(data[4:8])
    yield f"for {MACH.get(machine, f'machine {machine}')}"


def _pdf(data: bytes, read: Read, *_: object) -> Iterator[str]:
    """Say the version, and pages and title where they are not compressed."""
    yield f"version {data[5:8].decode('ascii', 'replace')}"
    held = read(0, SCANNED)
    counts = [int(found) for found in re.findall(rb"/Type\s*/Pages\b[^>]{0,200}?/Count\s+(\d{1,6})", held)]
    pages = max(counts, default=0) or len(re.findall(rb"/Type\s*/Page\b(?!s)", held))
    if pages:
        yield f"{pages:,} pages"
    title = re.search(rb"/Title\s*\(([\x20-\x7e]{1,120}?)\)", held)
    if title:
        yield f"titled {title[1].decode('ascii')}"


def _sqlite(data: bytes, read: Read, *_: object) -> Iterator[str]:
    yield f"{_big(data[28:32]):,} pages of {_big(data[16:18]) or 65_536:,} bytes"
    found: dict[str, list[str]] = {}
    for what, name in STATEMENT.findall(read(0, SCANNED)):
        names = found.setdefault(what.decode("ascii").lower(), [])
        told = name.decode("ascii", "replace").strip(" '\"`[]")
        if told not in names and not told.startswith("sqlite_"):
            names.append(told)
    for what, names in sorted(found.items()):
        more = f" and {len(names) - 40:,} more" if len(names) > 40 else ""
        yield f"{what}: {', '.join(sorted(names)[:40])}{more}"


def _class(data: bytes, *_: object) -> Iterator[str]:
    yield f"for Java {_big(data[6:8]) - 44}"


def _gzip(data: bytes, read: Read, size: int) -> Iterator[str]:
    """Say the name of the file that was compressed, and its size."""
    if data[3] & 8 and not data[3] & 4:
        name = data[10:].partition(b"\0")[0].decode("latin-1")
        yield f"of {''.join(char if char.isprintable() else '?' for char in name[:120])}"
    if size < 1 << 30:
        yield f"{_little(read(size - 4, 4)):,} bytes unpacked"


def _pixels(width: int, height: int) -> str:
    return f"{width} x {height} pixels"


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")


TOLD: dict[str, Callable[[bytes, Read, int], Iterator[str]]] = {
    "PNG": _png,
    "GIF": _gif,
    "JPEG": _jpeg,
    "WebP": _webp,
    "WAV": _wav,
    "ELF": _elf,
    "PE ": _pe,
    "Mach-O program": _mach,
    "PDF": _pdf,
    "SQLite": _sqlite,
    "Java class": _class,
    "gzip": _gzip,
}
"""What reads the beginning of each kind."""
