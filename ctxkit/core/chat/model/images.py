"""The size in pixels of an image, read from the first bytes of its file."""

from binascii import Error

HEAD = 64 << 10
"""Characters of base64 to decode: the size of a JPEG comes after its metadata, mostly within 48 KB."""


def size_of_base64(data: str) -> tuple[int, int] | None:
    """Return the width and height of an image in base64, None if they cannot be read."""
    from base64 import b64decode

    start = data[: HEAD // 4 * 4]
    try:
        head = b64decode(start + "=" * (-len(start) % 4))
    except (Error, ValueError):
        return None
    size = _read_png_size(head) or _read_gif_size(head) or _read_webp_size(head) or _read_jpeg_size(head)
    return size if size and size[0] and size[1] else None


def _read_png_size(head: bytes) -> tuple[int, int] | None:
    """Return the size in the IHDR chunk, which is always the first one of a PNG (ISO/IEC 15948, 11.2.2)."""
    if not head.startswith(b"\x89PNG\r\n\x1a\n") or len(head) < 24:
        return None
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def _read_gif_size(head: bytes) -> tuple[int, int] | None:
    if not head.startswith((b"GIF87a", b"GIF89a")) or len(head) < 10:
        return None
    return int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")


def _read_webp_size(head: bytes) -> tuple[int, int] | None:
    """Return the size in the first chunk of a WebP: VP8X, VP8L or VP8 (RFC 9649)."""
    if head[:4] != b"RIFF" or head[8:12] != b"WEBP" or len(head) < 30:
        return None
    if head[12:16] == b"VP8X":
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if head[12:16] == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF


def _read_jpeg_size(head: bytes) -> tuple[int, int] | None:
    """Return the size in the frame header of a JPEG, after a walk through its segments (ITU-T T.81, B.2.2)."""
    if not head.startswith(b"\xff\xd8"):
        return None
    at = 2
    while at + 9 < len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(head[at + 7 : at + 9], "big"), int.from_bytes(head[at + 5 : at + 7], "big")
        at += 1 if marker == 0xFF else 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None
