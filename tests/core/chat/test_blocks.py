"""Blocks of every provider become parts."""

import pytest

from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.message import Part


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (None, []),
        ("", []),
        ("hi", [Part("text", "hi")]),
        (["a", {"type": "text", "text": "b"}], [Part("text", "a"), Part("text", "b")]),
        ([{"type": "output_text", "text": "a", "annotations": []}], [Part("text", "a")]),
        ([{"type": "refusal", "refusal": "no"}], [Part("text", "no")]),
        ([{"type": "tool_use", "id": "1", "name": "ls", "input": {"a": 1}}], [Part("call", '{"a":1}', "ls")]),
        ([{"type": "toolCall", "name": "ls", "arguments": {"a": "é"}}], [Part("call", '{"a":"é"}', "ls")]),
        ([{"type": "tool_result", "tool_use_id": "1", "content": "ok"}], [Part("result", "ok")]),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "ok"}]}], [Part("result", "ok")]),
        ([{"type": "tool-call", "toolCallId": "1", "toolName": "ls", "input": {}}], [Part("call", "{}", "ls")]),
        ([{"type": "tool-result", "output": {"type": "text", "value": "ok"}}], [Part("result", "ok")]),
        ([{"type": "tool-result", "output": {"type": "json", "value": {"a": 1}}}], [Part("result", '{"a":1}')]),
        ([{"type": "thinking", "thinking": "hm", "signature": "x" * 99}], [Part("thinking", "hm")]),
        ([{"type": "redacted_thinking", "data": "x" * 99}], [Part("thinking", sealed=99)]),
        ([{"type": "image_url", "image_url": {"url": "https://e.org", "detail": "low"}}], [Part("image", detail="low")]),
        ([{"type": "image", "source": {"type": "url", "url": "https://e.org"}}], [Part("image")]),
        ([{"type": "document", "title": "T", "source": {"media_type": "text/plain", "data": "a"}}], [Part("text", "T\na")]),
        ([{"type": "document", "source": {"type": "base64", "data": "x" * 8}}], [Part("other", sealed=8)]),
        ([{"type": "strange", "id": "1", "value": 2}], [Part("other", '{"value":2}')]),
    ],
)
def test_content_is_read(content, parts):
    assert list(parts_of(content)) == parts
