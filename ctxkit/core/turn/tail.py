"""The tail of a request: what changes every turn stands after the conversation, whose cache survives so."""

from collections.abc import Sequence

from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.prompt.requests import CACHE_CONTROL
from ctxkit.core.text.json_value import JsonValue

_MARKABLE = ("text", "image", "document", "tool_use", "tool_result")
"""Blocks of Anthropic that may carry a breakpoint ("Prompt caching", "What can be cached")."""


def make_tail_message(format_name: str, tail: str) -> dict[str, JsonValue]:
    """Return the message that contains the tail alone."""
    if format_name == "gemini":
        return {"role": "user", "parts": [{"text": tail}]}
    content: JsonValue = [{"type": "text", "text": tail}] if format_name == "anthropic" else tail
    return {"role": "user", "content": content}


def attach_tail(
    format_name: str, message: dict[str, JsonValue], tail: str, patches: Sequence[ValuePatch] = ()
) -> list[ValuePatch] | None:
    """Return the patches of the last message that add the tail, None if the tail needs a message of its own.

    It joins a message of the user, because some APIs and chat templates reject two of them in a row. ``patches`` are
    those that mark the message for the cache.
    """
    if get_text(message, "role") != "user" or format_name == "responses":
        return None
    if format_name == "gemini":
        parts = message.get("parts")
        if not isinstance(parts, list) or any("functionResponse" in part for part in parts if isinstance(part, dict)):
            return None
        return [ValuePatch(("parts", len(parts)), {"text": tail}, "insert")]
    return _attach_to_content(format_name, message.get("content"), tail, patches)


def _attach_to_content(
    format_name: str, content: JsonValue, tail: str, patches: Sequence[ValuePatch]
) -> list[ValuePatch] | None:
    block = {"type": "text", "text": tail}
    if isinstance(content, list):
        return [*patches, ValuePatch(("content", len(content)), block, "insert")]
    if not isinstance(content, str):
        return None
    if format_name == "openai":
        return [ValuePatch(("content",), f"{content}\n\n{tail}")]
    first = patches[0].value if patches else [{"type": "text", "text": content}] if content.strip() else []
    return [ValuePatch(("content",), [*first, block])]


def mark_breakpoint(message: dict[str, JsonValue]) -> list[ValuePatch]:
    """Return the patches that put a cache breakpoint on the last block of a message of Anthropic; none if it may not.

    A text becomes a block, which a model reads as the same tokens.
    """
    content = message.get("content")
    if isinstance(content, str):
        blocks = [{"type": "text", "text": content, "cache_control": dict(CACHE_CONTROL)}]
        return [ValuePatch(("content",), blocks)] if content.strip() else []
    if not isinstance(content, list) or not content:
        return []
    last = content[-1]
    if get_text(last, "type") not in _MARKABLE or (get_text(last, "type") == "text" and not get_text(last, "text")):
        return []
    return [ValuePatch(("content", len(content) - 1, "cache_control"), dict(CACHE_CONTROL))]
