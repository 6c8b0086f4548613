"""The content of messages: text, or a list of blocks of the kinds that the providers define."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.images import size_of_base64, size_of_url
from ctxkit.core.chat.message import Kind, Part
from ctxkit.core.chat.shape import dumped, mapping, objects, text

_TEXT = ("text", "input_text", "output_text", "refusal", "summary_text", "reasoning_text")
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use", "toolCall", "tool-call")
_RESULTS = ("tool_result", "tool-result", "mcp_tool_result")
_IMAGES = ("image", "image_url", "input_image")
_IGNORED = ("cache_control", "citations", "annotations", "signature", "encrypted_content", "id", "type")


def parts_of(content: Any, kind: Kind = "text") -> Iterator[Part]:
    """Yield the parts of a message's content; ``kind`` is what its words are."""
    if isinstance(content, str):
        if content:
            yield Part(kind, content)
    elif isinstance(content, dict):
        yield from _block(content, kind)
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict):
                yield from _block(block, kind)
            elif isinstance(block, str) and block:
                yield Part(kind, block)


def _block(block: dict[str, Any], kind: Kind) -> Iterator[Part]:
    named = text(block, "type")
    if named in _TEXT or (not named and "text" in block):
        words = text(block, "text") or text(block, "refusal")
        if words:
            yield Part(kind, words)
    elif named in _IMAGES:
        yield _image(block)
    elif named in ("thinking", "reasoning", "redacted_thinking"):
        yield from thinking(block)
    elif named in _CALLS:
        name = text(block, "name") or text(block, "toolName")
        yield Part("call", dumped(block.get("input", block.get("arguments", block.get("args")))), name)
    elif named in _RESULTS or named.endswith("_tool_result"):
        yield from parts_of(_output(block), "result")
    elif named in ("document", "search_result"):
        yield from _document(block, kind)
    elif not named and (found := tuple(_untyped(block))):
        yield from found
    else:
        yield Part("other", dumped({key: value for key, value in block.items() if key not in _IGNORED}))


def _untyped(block: dict[str, Any]) -> Iterator[Part]:
    """Read a block of Bedrock, which is of the kind that its only member is named by."""
    call, result = mapping(block, "toolUse"), mapping(block, "toolResult")
    thought, image = mapping(block, "reasoningContent"), mapping(mapping(block, "image"), "source")
    if call:
        yield Part("call", dumped(call.get("input")), text(call, "name"))
    elif result:
        yield from parts_of(result.get("content"), "result")
    elif thought:
        words, sealed = text(mapping(thought, "reasoningText"), "text"), text(thought, "redactedContent")
        yield Part("thinking", words, sealed=0 if words else len(sealed))
    elif image:
        yield Part("image", size=size_of_base64(text(image, "bytes")))


def _output(block: dict[str, Any]) -> Any:
    output = block.get("content", block.get("output", block.get("result")))
    if isinstance(output, dict):
        return dumped(output["value"]) if "value" in output else [output]
    return output


def thinking(block: dict[str, Any]) -> Iterator[Part]:
    """Yield the reasoning of a block: its words, else the length of what is encrypted."""
    words = text(block, "thinking") or text(block, "text") or text(block, "reasoning")
    words = words or "\n".join(text(item, "text") for item in objects(block, "summary") + objects(block, "content"))
    sealed = text(block, "data") or text(block, "encrypted_content")
    if words and not sealed:
        yield Part("thinking", words)
    elif sealed:
        yield Part("thinking", sealed=len(sealed))


def _image(block: dict[str, Any]) -> Part:
    """Read a picture of OpenAI's kinds (an address), of Anthropic's (a source) or of pi's (data)."""
    held = block.get("image_url")
    url = held if isinstance(held, str) else text(held, "url")
    source = mapping(block, "source")
    data = text(source, "data") or text(block, "data")
    size = size_of_base64(data) if data else size_of_url(url or text(source, "url"))
    return Part("image", size=size, detail=text(block, "detail") or text(held, "detail"))


def _document(block: dict[str, Any], kind: Kind) -> Iterator[Part]:
    """Read a document: its words where it has some; a file of another kind has no text to be counted."""
    source = block.get("source")
    words = text(source, "data") if text(source, "media_type").startswith("text/") else ""
    head = "\n".join(filter(None, (text(block, "title"), text(block, "context"))))
    content = block.get("content", source.get("content") if isinstance(source, dict) else None)
    yield from parts_of("\n".join(filter(None, (head, words))), kind)
    yield from parts_of(content, kind)
    if isinstance(source, dict) and not words and content is None:
        yield Part("other", sealed=len(text(source, "data")))
