"""Blocks of every provider become parts."""

from base64 import b64encode
from struct import pack

import pytest

from ctxkit.core.chat.model.blocks import list_blocks, read_parts, size_of_base64
from ctxkit.core.chat.model.message import MessagePart


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (None, []),
        ("", []),
        ("hi", [MessagePart("text", "hi")]),
        (["a", {"type": "text", "text": "b"}], [MessagePart("text", "a"), MessagePart("text", "b")]),
        ([{"type": "output_text", "text": "a", "annotations": []}], [MessagePart("text", "a")]),
        ([{"type": "refusal", "refusal": "no"}], [MessagePart("text", "no")]),
        ([{"type": "tool_use", "id": "1", "name": "ls", "input": {"a": 1}}], [MessagePart("call", '{"a":1}', "ls")]),
        ([{"type": "toolCall", "name": "ls", "arguments": {"a": "é"}}], [MessagePart("call", '{"a":"é"}', "ls")]),
        ([{"type": "tool_result", "tool_use_id": "1", "content": "ok"}], [MessagePart("result", "ok")]),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "ok"}]}], [MessagePart("result", "ok")]),
        ([{"type": "tool-call", "toolCallId": "1", "toolName": "ls", "input": {}}], [MessagePart("call", "{}", "ls")]),
        ([{"type": "tool-result", "output": {"type": "text", "value": "ok"}}], [MessagePart("result", "ok")]),
        ([{"type": "tool-result", "output": {"type": "json", "value": {"a": 1}}}], [MessagePart("result", '{"a":1}')]),
        ([{"type": "thinking", "thinking": "hm", "signature": "x" * 99}], [MessagePart("thinking", "hm")]),
        ([{"type": "redacted_thinking", "data": "x" * 99}], [MessagePart("thinking", encrypted_size=99)]),
        ([{"type": "image_url", "image_url": {"url": "https://e.org", "detail": "low"}}], [MessagePart("image", detail="low")]),
        ([{"type": "image", "source": {"type": "url", "url": "https://e.org"}}], [MessagePart("image")]),
        ([{"type": "document", "title": "T", "source": {"media_type": "text/plain", "data": "a"}}], [MessagePart("text", "T\na")]),
        ([{"type": "document", "source": {"type": "base64", "data": "x" * 8}}],
         [MessagePart("other", encrypted_size=8, media="document")]),
        ({"type": "tool_use", "tool_id": "1", "tool_name": "ls", "input": {}}, [MessagePart("call", "{}", "ls")]),
        ([{"type": "strange", "id": "1", "value": 2}], [MessagePart("other", '{"value":2}')]),
    ],
)
def test_content_is_read(content, parts) -> None:
    assert list(read_parts(content)) == parts


def test_a_single_block_needs_no_list() -> None:
    block = {"type": "text", "text": "a"}
    assert list_blocks(block) == list_blocks([block, "b"]) == [block]
    assert list_blocks("a") == []


PNG = b64encode(b"\x89PNG\r\n\x1a\n" + pack(">I4sII", 13, b"IHDR", 640, 480)).decode()
PDF = b64encode(b"%PDF-1.7" + bytes(600)).decode()
PDF_URL = f"data:application/pdf;base64,{PDF}"
IMAGE = MessagePart("image", size=(640, 480))
DOCUMENT = MessagePart("other", encrypted_size=len(PDF), media="document")


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}", "detail": "low"}},
         IMAGE._replace(detail="low")),
        ({"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}, IMAGE),
        ({"type": "computer_screenshot", "image_url": f"data:image/png;base64,{PNG}"}, IMAGE),
        ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}, IMAGE),
        ({"type": "image", "mimeType": "image/png", "data": PNG}, IMAGE),
        ({"type": "file", "mediaType": "image/png", "data": PNG}, IMAGE),
        ({"type": "file", "mime": "image/png", "url": f"data:image/png;base64,{PNG}", "source": {"path": "a.png"}}, IMAGE),
        ({"image": {"format": "png", "source": {"bytes": PNG}}}, IMAGE),
        ({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}, MessagePart("image")),
        ({"type": "file", "file": {"filename": "a.pdf", "file_data": PDF_URL}}, DOCUMENT),
        ({"type": "input_file", "filename": "a.pdf", "file_data": PDF_URL}, DOCUMENT),
        ({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}}, DOCUMENT),
        ({"document": {"format": "pdf", "name": "a", "source": {"bytes": PDF}}}, DOCUMENT),
        ({"type": "document", "source": {"type": "file", "file_id": "file_1"}}, MessagePart("other", media="document")),
        ({"type": "input_file", "file_id": "file-1"}, MessagePart("other", media="document")),
        ({"type": "input_audio", "input_audio": {"data": PDF, "format": "wav"}}, DOCUMENT._replace(media="audio")),
        ({"type": "audio", "mimeType": "audio/wav", "data": PDF}, DOCUMENT._replace(media="audio")),
        ({"type": "video_url", "video_url": {"url": f"data:video/mp4;base64,{PDF}"}}, DOCUMENT._replace(media="video")),
        ({"type": "video_url", "video_url": {"url": "https://example.org/a"}}, MessagePart("other", media="video")),
        ({"type": "file", "file": {"filename": "a.txt", "file_data": "data:text/plain;base64,aGVsbG8="}},
         MessagePart("text", "hello")),
        ({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "hello"}},
         MessagePart("text", "hello")),
    ],
)  # fmt: skip
def test_a_file_is_read_as_what_it_is(block, part) -> None:
    assert list(read_parts([block])) == [part]


def test_an_encrypted_search_result_is_input_of_the_next_request() -> None:
    found = list(read_parts([{"type": "web_search_result", "url": "https://example.org", "encrypted_content": "x" * 400}]))
    assert found[-1] == MessagePart("result", encrypted_size=400)
    assert "x" * 10 not in found[0].text


PNG_IMAGES = b"\x89PNG\r\n\x1a\n" + pack(">I4sII", 13, b"IHDR", 640, 480)
GIF = b"GIF89a" + pack("<HH", 320, 200)
JPEG = b"\xff\xd8" + b"\xff\xe0\x00\x10" + b"\0" * 14 + b"\xff\xc0\x00\x11\x08" + pack(">HH", 600, 800) + b"\x03"
VP8X = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + (99).to_bytes(3, "little") + (49).to_bytes(3, "little")
VP8L = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + (99 | 49 << 14).to_bytes(4, "little") + b"\0" * 5
VP8 = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a" + pack("<HH", 100, 50)


@pytest.mark.parametrize(
    ("head", "size"),
    [
        *((PNG_IMAGES, (640, 480)), (GIF, (320, 200)), (JPEG, (800, 600))),
        *((VP8X, (100, 50)), (VP8L, (100, 50)), (VP8, (100, 50))),
        *((b"", None), (PNG_IMAGES[:20], None), (JPEG[:12], None), (b"%PDF-1.7", None)),
    ],
)
def test_the_size_is_read(head, size) -> None:
    data = b64encode(head).decode()
    assert size_of_base64(data) == size


@pytest.mark.parametrize("data", ["<svg/>", "", "!!!"])
def test_other_data_has_no_size(data: str) -> None:
    assert size_of_base64(data) is None
