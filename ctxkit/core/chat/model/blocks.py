"""The content of messages: text, or blocks of the types that the providers define, among them files.

The types of blocks are those of OpenAI's Chat Completions and Responses, Anthropic's Messages, Bedrock's Converse,
Gemini and the AI SDK, by the references of their APIs.
"""

from binascii import Error
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import dump_value, get_first_text, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import MediaType, MessagePart, PartKind
from ctxkit.core.text.json_value import JsonValue

_TEXT = ("text", "input_text", "output_text", "tool_output", "refusal", "summary_text", "reasoning_text")
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use", "toolCall", "tool-call", "tool_call")
_BEDROCK_FILES = ("image", "document", "video", "audio")
CALL_IDS = ("id", "call_id", "tool_call_id", "toolCallId", "tool_id")
"""Members with the id of a call, in its block."""
RESULT_IDS = ("tool_use_id", "tool_call_id", "toolCallId", "call_id", "toolUseId", "toolUseID", "tool_id")
"""Members with the id of the call that a block or a message answers."""
TOOL_NAMES = ("name", "toolName", "tool_name")
"""Members with the name of a tool, in the block of its call."""
_RESULTS = ("tool_result", "tool-result", "mcp_tool_result")
_ENCRYPTED_RESULTS = ("web_search_result", "web_fetch_result")
"""Blocks whose ``encrypted_content`` is sent back as input (Anthropic, "Web search tool")."""
_AMP_RUN = "run"
"""Member of a result of Amp's, with the status, and with what the tool returned or the error."""
HAYSTACK_CALL, HAYSTACK_RESULT = "tool_call", "tool_call_result"
"""Members for a call and a result in Haystack's blocks, which have no type."""
_IGNORED = ("cache_control", "citations", "annotations", "signature", "encrypted_content", "id", "type")


def read_parts(content: JsonValue, kind: PartKind = "text") -> Iterator[MessagePart]:
    """Yield the parts of a message's content; ``kind`` is the kind of its text parts."""
    if isinstance(content, str):
        if content:
            yield MessagePart(kind, content)
    elif isinstance(content, dict):
        yield from _read_block(content, kind)
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict):
                yield from _read_block(block, kind)
            elif isinstance(block, str) and block:
                yield MessagePart(kind, block)


def list_blocks(content: JsonValue) -> list[dict[str, JsonValue]]:
    """Return the blocks of a content; a single block may be an object without a list."""
    return [content] if isinstance(content, dict) else get_objects(content)


def find_repeated_id(block: JsonValue, ids: Collection[str]) -> str:
    """Return the id of the call that a block repeats, one of ``ids``; empty if it repeats none.

    LangChain keeps the calls of a message twice: as the provider's blocks, and as ``tool_calls``.
    """
    if not ids or not get_first_text(block, TOOL_NAMES):
        return ""
    return next((id_ for key in CALL_IDS if (id_ := get_text(block, key)) in ids), "")


def _read_block(block: dict[str, JsonValue], kind: PartKind) -> Iterator[MessagePart]:
    block_type = get_text(block, "type")
    if _is_text(block, block_type):
        yield from _read_words(block, kind)
    elif block_type in ("thinking", "reasoning", "redacted_thinking", "think"):
        yield from read_thinking(block)
    elif block_type in _CALLS:
        arguments = block.get("input", block.get("arguments", block.get("args")))
        yield MessagePart("call", dump_value(arguments), get_first_text(block, TOOL_NAMES))
    elif _is_result(block_type):
        yield from read_parts(_get_output(block), "result")
    elif block_type in ("document", "search_result"):
        yield from _read_document(block, kind)
    elif block_type in _FILE_TYPES:
        yield read_file(block, block_type, kind)
    elif not block_type and (parts := tuple(_read_untyped_block(block))):
        yield from parts
    else:
        yield MessagePart("other", dump_value({key: value for key, value in block.items() if key not in _IGNORED}))
    if block_type in _ENCRYPTED_RESULTS:
        yield from _read_encrypted(block)


def _is_text(block: dict[str, JsonValue], block_type: str) -> bool:
    return block_type in _TEXT or (not block_type and "text" in block)


def _read_words(block: dict[str, JsonValue], kind: PartKind) -> Iterator[MessagePart]:
    words = get_text(block, "text") or get_text(block, "refusal")
    if words:
        yield MessagePart(kind, words)


def _is_result(block_type: str) -> bool:
    return block_type in _RESULTS or block_type.endswith("_tool_result")


def _read_encrypted(block: dict[str, JsonValue]) -> Iterator[MessagePart]:
    encrypted = get_text(block, "encrypted_content")
    if encrypted:
        yield MessagePart("result", encrypted_size=len(encrypted))


def _read_untyped_block(block: dict[str, JsonValue]) -> Iterator[MessagePart]:
    """Yield the parts of a block of Bedrock or Haystack; the name of its only member is its type."""
    call, result = get_object(block, "toolUse"), get_object(block, "toolResult")
    thought, media = get_object(block, "reasoningContent"), next((key for key in _BEDROCK_FILES if key in block), "")
    if call:
        yield MessagePart("call", dump_value(call.get("input")), get_text(call, "name"))
    elif result:
        yield from read_parts(result.get("content"), "result")
    elif call := get_object(block, HAYSTACK_CALL):
        yield MessagePart("call", dump_value(call.get("arguments")), get_text(call, "tool_name"))
    elif result := get_object(block, HAYSTACK_RESULT):
        yield from read_parts(result.get("result"), "result")
    elif words := get_text(get_object(block, "reasoning"), "reasoning_text"):
        yield MessagePart("thinking", words)
    elif data := get_text(get_object(block, "image"), "base64_image"):
        yield MessagePart("image", size=size_of_base64(data))
    elif thought:
        words, redacted = get_text(get_object(thought, "reasoningText"), "text"), get_text(thought, "redactedContent")
        yield MessagePart("thinking", words, encrypted_size=0 if words else len(redacted))
    elif media:
        yield read_file(block, media)


class RunOutput(NamedTuple):
    """What a tool of Amp returned, as a model reads it, and its place in the block."""

    text: str
    place: tuple[str, ...]
    failed: bool = False


def read_run(block: dict[str, JsonValue]) -> RunOutput | None:
    """Return the output in a result of Amp's: of a command, of another tool, or an error; None for other blocks."""
    run = get_object(block, _AMP_RUN)
    if not run:
        return None
    result, problem = get_object(run, "result"), get_text(get_object(run, "error"), "message")
    if isinstance(output := result.get("output"), str):
        return RunOutput(output, (_AMP_RUN, "result", "output"), result.get("exitCode", 0) != 0)
    if problem and "result" not in run:
        return RunOutput(problem, (_AMP_RUN, "error", "message"), True)
    failed = get_text(run, "status") in ("error", "cancelled")
    return RunOutput(dump_value(run.get("result")), (_AMP_RUN, "result"), failed)


def _get_output(block: dict[str, JsonValue]) -> JsonValue:
    if run := read_run(block):
        return run.text
    output = block.get("content", block.get("output", block.get("result")))
    if isinstance(output, dict):
        return dump_value(output["value"]) if "value" in output else [output]
    return output


def read_thinking(block: dict[str, JsonValue]) -> Iterator[MessagePart]:
    """Yield the reasoning in a block: its text, or the length of its encrypted content."""
    words = get_first_text(block, ("thinking", "text", "reasoning", "think"))
    words = words or "\n".join(
        get_text(item, "text") for item in get_objects(block, "summary") + get_objects(block, "content")
    )
    encrypted = get_text(block, "data") or get_text(block, "encrypted_content")
    if words and not encrypted:
        yield MessagePart("thinking", words)
    elif encrypted:
        yield MessagePart("thinking", encrypted_size=len(encrypted))


def _read_document(block: dict[str, JsonValue], kind: PartKind) -> Iterator[MessagePart]:
    """Yield the text of a document block, or its file."""
    source = block.get("source")
    words = get_text(source, "data") if get_text(source, "media_type").startswith("text/") else ""
    head = "\n".join(filter(None, (get_text(block, "title"), get_text(block, "context"))))
    content = block.get("content", source.get("content") if isinstance(source, dict) else None)
    yield from read_parts("\n".join(filter(None, (head, words))), kind)
    yield from read_parts(content, kind)
    if isinstance(source, dict) and not words and content is None:
        yield read_file(block, "document", kind)


HEAD = 64 << 10
"""Characters of base64 to decode: the size of a JPEG comes after its metadata, mostly within 48 KB."""
_FILE_TYPES: dict[str, MediaType] = {
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
    media = _find_media_type(mime) or _FILE_TYPES.get(block_type, "document")
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
