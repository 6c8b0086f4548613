"""Blocks of every provider become parts."""

import pytest

from ctxkit.core.chat.model.blocks import list_blocks, read_parts
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
