"""Files in messages: images, documents, audio and video, as data, by URL or by an id of the provider.

The types of blocks are those of OpenAI's Chat Completions and Responses, Anthropic's Messages, Bedrock's Converse,
Gemini and the AI SDK, by the references of their APIs.
"""

from binascii import Error
from collections.abc import Iterable, Sequence

from ctxkit.core.chat.model.json_fields import get_first_text, get_object
from ctxkit.core.chat.model.message import MediaType, MessagePart, PartKind
from ctxkit.core.text.json_value import JsonValue

HEAD = 64 << 10
"""Characters of base64 to decode: the size of a JPEG comes after its metadata, mostly within 48 KB."""
FILE_TYPES: dict[str, MediaType] = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "computer_screenshot": "image",
    "file": "document",
    "input_file": "document",
    "document": "document",
    "audio": "audio",
    "audio_url": "audio",
    "input_audio": "audio",
    "video": "video",
    "video_url": "video",
    "input_video": "video",
    "media": "document",
}
"""The media of blocks by their type, unless they state a media type of their own."""
_MEDIA_NAMES: dict[str, MediaType] = {
    "image": "image",
    "audio": "audio",
    "video": "video",
    "pdf": "document",
    "wav": "audio",
    "mp3": "audio",
    "mp4": "video",
    "png": "image",
    "jpeg": "image",
}
"""The media by the first part of a media type, or by a name of a format."""
_DATA = ("data", "file_data", "fileData", "bytes", "base64")
_URLS = ("url", "image_url", "file_url", "fileUri", "file_uri", "uri")
_MIME_TYPES = ("media_type", "mediaType", "mimeType", "mime_type", "mime", "format")
_TEXTS = ("text/", "application/json", "application/xml", "application/yaml")
_PREFIX_LENGTH = 64
"""Maximum characters of a data URL before its comma that are read as its media type."""


def read_file(block: dict[str, JsonValue], block_type: str, kind: PartKind = "text") -> MessagePart:
    """Return the part for a block of one of FILE_TYPES; ``kind`` is the kind of a part whose file is text.

    A file by reference has no size: ``encrypted_size`` is 0.
    """
    named = block.get(block_type)
    objects = (get_object(named, "source"), *(get_object(block, key) for key in (block_type, "file", "source")), block)
    data = _find_text(objects, _DATA)
    url = named if isinstance(named, str) else _find_text(objects, _URLS)
    mime = _find_text(objects, _MIME_TYPES)
    for address in (data, url):
        if address.startswith("data:"):
            head, _, data = address.partition(",")
            mime = head[5:_PREFIX_LENGTH].removesuffix(";base64") or mime
    media = _find_media_type(mime) or FILE_TYPES.get(block_type, "document")
    if media == "image":
        size = size_of_base64(data) if data else None
        return MessagePart("image", size=size, detail=_find_text(objects, ("detail",)))
    if data and mime.startswith(_TEXTS) and (text := _decode_text(data)):
        return MessagePart(kind, text)
    return MessagePart("other", encrypted_size=len(data), media=media)


def _find_text(objects: Iterable[JsonValue], keys: Sequence[str]) -> str:
    """Return the first text member with one of the names, in the order of the objects."""
    return next((text for value in objects if (text := get_first_text(value, keys))), "")


def _find_media_type(mime: str) -> MediaType | None:
    """Return the media of a media type such as ``audio/wav``, or of a format such as ``wav``; None if it is unknown."""
    top, _, name = mime.lower().partition("/")
    return _MEDIA_NAMES.get(top) or _MEDIA_NAMES.get(name)


def _decode_text(data: str) -> str:
    from base64 import b64decode

    try:
        return b64decode(data).decode()
    except (Error, ValueError):
        return ""


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
