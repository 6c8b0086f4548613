"""The size of a picture is read off its first bytes."""

from base64 import b64encode
from struct import pack

import pytest

from ctxkit.core.chat.model.images import size_of_base64

PNG = b"\x89PNG\r\n\x1a\n" + pack(">I4sII", 13, b"IHDR", 640, 480)
GIF = b"GIF89a" + pack("<HH", 320, 200)
JPEG = b"\xff\xd8" + b"\xff\xe0\x00\x10" + b"\0" * 14 + b"\xff\xc0\x00\x11\x08" + pack(">HH", 600, 800) + b"\x03"
VP8X = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + (99).to_bytes(3, "little") + (49).to_bytes(3, "little")
VP8L = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + (99 | 49 << 14).to_bytes(4, "little") + b"\0" * 5
VP8 = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + pack("<HH", 100, 50)


@pytest.mark.parametrize(
    ("head", "size"),
    [
        *((PNG, (640, 480)), (GIF, (320, 200)), (JPEG, (800, 600))),
        *((VP8X, (100, 50)), (VP8L, (100, 50)), (VP8, (100, 50))),
        *((b"", None), (PNG[:20], None), (JPEG[:12], None), (b"%PDF-1.7", None)),
    ],
)
def test_the_size_is_read(head, size) -> None:
    data = b64encode(head).decode()
    assert size_of_base64(data) == size


@pytest.mark.parametrize("data", ["<svg/>", "", "!!!"])
def test_other_data_has_no_size(data: str) -> None:
    assert size_of_base64(data) is None
