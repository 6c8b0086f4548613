"""Binary content: its format, the tables of a database, and the ASCII words in it."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.brief.document import HEAD_BYTES, Clues, InputDocument
from ctxkit.core.brief.outline import Entry, Outline, Section
from ctxkit.core.lazy_pattern import compile_lazily
from ctxkit.core.text.lines import count_controls, detect_utf16, has_controls
from ctxkit.core.text.quantity import format_size

NAME = "binary"
TYPES: Sequence[str] = ()
CLUES = Clues()
MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "PNG image"),
    (0, b"\xff\xd8\xff", "JPEG image"),
    (0, b"GIF8", "GIF image"),
    (8, b"WEBPVP8", "WebP image"),
    (8, b"WAVEfmt", "WAV audio"),
    (0, b"\x00\x00\x01\x00", "Windows icon"),
    (0, b"II*\x00", "TIFF image"),
    (0, b"MM\x00*", "TIFF image"),
    (0, b"%PDF-", "PDF document"),
    (0, b"PK\x03\x04", "ZIP archive"),
    (0, b"PK\x05\x06", "empty ZIP archive"),
    (0, b"\x1f\x8b\x08", "gzip data"),
    (0, b"BZh", "bzip2 data"),
    (0, b"\xfd7zXZ\x00", "xz data"),
    (0, b"\x28\xb5\x2f\xfd", "zstd data"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (0, b"Rar!\x1a\x07", "RAR archive"),
    (0, b"\x7fELF", "ELF program or library"),
    (0, b"\xcf\xfa\xed\xfe", "Mach-O program or library"),
    (0, b"\xce\xfa\xed\xfe", "Mach-O program or library"),
    (0, b"MZ", "PE program or library"),
    (0, b"SQLite format 3\x00", "SQLite database"),
    (0, b"\x00asm", "WebAssembly module"),
    (0, b"!<arch>\n", "ar archive"),
    (0, b"OggS", "Ogg audio or video"),
    (0, b"ID3", "MP3 audio"),
    (0, b"fLaC", "FLAC audio"),
    (4, b"ftyp", "MP4 or QuickTime video"),
    (0, b"\x1aE\xdf\xa3", "Matroska or WebM video"),
    (0, b"wOFF", "WOFF font"),
    (0, b"wOF2", "WOFF2 font"),
    (0, b"\x00\x01\x00\x00\x00", "TrueType font"),
    (0, b"bplist0", "binary property list"),
    (0, b"PAR1", "Parquet table"),
    (0, b"Obj\x01", "Avro table"),
    (0, b"GGUF", "GGUF model"),
    (0, b"\x93NUMPY", "NumPy array"),
    (0, b"\x89HDF", "HDF5 data"),
    (257, b"ustar", "tar archive"),
)
"""Signatures: the offset, the bytes at that offset, and the name of the format."""
STATEMENT = compile_lazily(
    rb"CREATE (?:VIRTUAL )?(TABLE|VIEW|INDEX|TRIGGER) +(?:IF NOT EXISTS +)?"
    rb"([\"'`\[]?[\w. -]{1,60}?[\"'`\]]?)(?<! ) {0,40}(?:\(|ON|AS|USING)",
    re.IGNORECASE,
)
SCHEMA_BYTES = 8 << 20
"""Number of bytes searched for the schema of a database."""
WORDS = compile_lazily(rb"[\x20-\x7e]{6,}")
SEARCHED_BYTES = 32 << 20
"""Number of bytes searched for words."""
MAX_WORDS = 2_000
"""Maximum number of words collected."""


def sniff(document: InputDocument) -> float:
    """Return the confidence that the document is binary, from its signature, its NULs and its undecodable bytes."""
    data = document.read(0, HEAD_BYTES)
    if not data or detect_utf16(data):
        return 0.0
    if not _is_text(data):
        return 0.99
    if data.startswith(b"%PDF-") or _identify_format(data) == "tar archive":
        return 0.97
    return 0.0


def _is_text(data: bytes) -> bool:
    """Return whether nearly all bytes are UTF-8 text or text of an 8-bit encoding."""
    size = len(data)
    nuls = data.count(0)
    if nuls > 1 and nuls * 500 > size:
        return False
    if has_controls(data):
        return False
    lost = data.decode("utf-8", "replace").count("\N{REPLACEMENT CHARACTER}")
    if lost <= 3 or lost * 50 < size:
        return True
    high = data.translate(None, bytes(range(128)))
    if _identify_format(data) or count_controls(data) or nuls:
        return False
    return len(high) * 4 < size * 3 and not _has_controls(high)


def _has_controls(high: bytes) -> bool:
    """Return whether many of the bytes above ASCII are control codes in Latin-1."""
    return sum(byte < 0xA0 for byte in high) * 4 > len(high)


def _identify_format(data: bytes) -> str:
    """Return the name of the format that the signature identifies, or an empty string."""
    if data.startswith(b"\xca\xfe\xba\xbe"):
        return "Java class" if int.from_bytes(data[4:8], "big") > 40 else "Mach-O universal binary"
    return next((name for at, magic, name in MAGIC if data.startswith(magic, at)), "")


def outline(document: InputDocument) -> list[Outline]:
    """Return the format, the tables of a database, and the first words in the bytes."""
    data = document.read(0, HEAD_BYTES)
    kind = _identify_format(data)
    summary = [Entry(_describe_bytes(kind, data, document.lines.size))]
    if kind == "SQLite database":
        summary += map(Entry, _list_schema(document))
    words = tuple(_find_words(document))
    title = "Words in it (bytes are counted from 1)"
    return [Outline(NAME, (Section("", tuple(summary)), *([Section(title, words, noun="words")] if words else ())))]


def _list_schema(document: InputDocument) -> Iterator[str]:
    """Yield the names of the tables, views, indexes and triggers of a SQLite database."""
    names_by_type: dict[str, list[str]] = {}
    for what, name in STATEMENT.findall(document.read(0, SCHEMA_BYTES)):
        names = names_by_type.setdefault(what.decode("ascii").lower(), [])
        label = name.decode("ascii", "replace").strip(" '\"`[]")
        if label not in names and not label.startswith("sqlite_"):
            names.append(label)
    for what, names in sorted(names_by_type.items()):
        more = f" and {len(names) - 40:,} more" if len(names) > 40 else ""
        yield f"{what}: {', '.join(sorted(names)[:40])}{more}"


def _describe_bytes(description: str, data: bytes, size: int) -> str:
    """Return the format and the size; for an unknown format, also the first 16 bytes."""
    if description:
        return f"{description}, {format_size(size)}"
    return f"bytes of an unknown kind, not text, {format_size(size)}; it begins with the bytes {data[:16].hex(' ')}"


def _find_words(document: InputDocument) -> Iterator[Entry]:
    """Yield distinct pieces of ASCII text; longer pieces rank higher."""
    seen: set[bytes] = set()
    size = min(document.lines.size, SEARCHED_BYTES)
    for start in range(0, size, 1 << 20):
        block = document.read(start, (1 << 20) + 200)
        for match in WORDS.finditer(block):
            word = match[0].strip()
            if match.start() >= 1 << 20 or word in seen or not _is_word(word):
                continue
            seen.add(word)
            at = start + match.start() + 1
            text = word[:120].decode("ascii") + (f" [+{len(word) - 120} bytes]" if len(word) > 120 else "")
            yield Entry(text, at, at + len(match[0]) - 1, 2 + 40 // min(len(word), 40), in_bytes=True)
            if len(seen) >= MAX_WORDS:
                return


def _is_word(word: bytes) -> bool:
    """Return whether printable bytes look like written text: mostly letters, few punctuation characters."""
    letters = sum(byte in LETTERS for byte in word)
    return len(word) >= 6 and letters * 4 >= len(word) * 3 and bool(LETTER_RUN.search(word))


LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 /._-")
LETTER_RUN = compile_lazily(rb"[A-Z]?[a-z]{3,}|[A-Z_]{5,}")
