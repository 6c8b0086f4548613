"""Anthropic Messages: a request with its system prompt and tools, an array of messages, or one message per line.

Bedrock's Converse has the same rules. Its blocks have no type; the name of their only member is the type.

A thread of Amp has these messages, with a number each; its results contain the run of the tool (exports of 2026-05).
"""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.formats.openai import find_entry_list as find_entry_list
from ctxkit.core.chat.model.blocks import read_parts
from ctxkit.core.chat.model.calls_and_results import (
    BEDROCK_CALL,
    BEDROCK_RESULT,
    find_calls,
    find_passages,
    find_results,
    has_leading_reasoning,
    is_encrypted,
    is_message,
    is_message_list,
    read_message,
    read_toolset,
)
from ctxkit.core.chat.model.json_fields import get_number, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    ConversationStart,
    RecordCall,
    RecordContent,
    RecordResult,
    UsageReceipt,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "anthropic", "anthropic", True
RULES = ApiRules(
    "next", results_first=True, roles_alternate=True, user_opens=True, loops_are_atomic=True, summary_role="user"
)
_ANTHROPIC_TYPES = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "compaction")
_ANTHROPIC_MEMBERS = (BEDROCK_CALL, BEDROCK_RESULT)
_SOURCE = "source"
"""Member of Anthropic's images; exports with OpenAI's calls have such images too."""


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value has messages, and blocks or members that only Anthropic's API has."""
    if isinstance(value, list):
        return is_message_list(value) and _has_anthropic_messages(value)
    if not isinstance(value, dict):
        return False
    if not is_message_list(value.get("messages")):
        return is_message(value) and _has_anthropic_messages([value])
    return _is_anthropic_request(value)


def _is_anthropic_request(value: dict[str, JsonValue]) -> bool:
    """Return whether a request has members that only this API has, or a model of Claude."""
    tools = get_objects(value, "tools")
    return (
        "system" in value
        or "anthropic_version" in value
        or any("input_schema" in tool and "function" not in tool for tool in tools)
        or _has_anthropic_messages(value["messages"])
        or (get_text(value, "model").startswith("claude") and not any(map(_has_openai_members, value["messages"])))
    )


def _has_anthropic_messages(messages: Sequence[dict[str, JsonValue]]) -> bool:
    """Return whether messages have blocks of Anthropic's, or its images and no calls of OpenAI's."""
    if any(map(_has_anthropic_blocks, messages)):
        return True
    images = (block for message in messages for block in get_objects(message, "content") if get_object(block, _SOURCE))
    return any(images) and not any("tool_calls" in message for message in messages)


def _has_anthropic_blocks(message: dict[str, JsonValue]) -> bool:
    blocks = get_objects(message, "content")
    return any(
        get_text(block, "type") in _ANTHROPIC_TYPES or any(get_object(block, key) for key in _ANTHROPIC_MEMBERS)
        for block in blocks
    )


def _has_openai_members(message: JsonValue) -> bool:
    """Return whether a message has a role or calls that Anthropic's API rejects but OpenAI's accepts."""
    return get_text(message, "role") not in ("user", "assistant") or "tool_calls" in message


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the system prompt, the tools and the messages; raise ValueError if there are no messages."""
    if not isinstance(value, dict) or "messages" not in value:
        yield from openai.read_entries(value)
        return
    yield ConversationStart()
    if toolset := read_toolset(value):
        yield toolset
    if system := tuple(read_parts(value.get("system"))):
        yield ChatMessage("system", system)
    yield from map(read_message, get_objects(value, "messages"))


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a message."""
    content, place = value.get("content"), ("content",)
    return RecordContent(
        openai.ROLES_BY_NAME.get(get_text(value, "role"), "user"),
        "message",
        tuple(find_calls(content, place)),
        tuple(find_results(content, place)),
        tuple(find_passages(content, place)),
        is_encrypted(content),
        has_leading_reasoning(content),
        read_receipt(value),
    )


def read_receipt(message: dict[str, JsonValue]) -> UsageReceipt | None:
    """Return the token usage of a response, None if unknown; Anthropic counts cached input separately."""
    usage = get_object(message, "usage")
    details = get_object(usage, "cache_creation")
    cache_written = get_number(usage, "cache_creation_input_tokens") or sum(get_number(details, key) for key in details)
    context = get_number(usage, "input_tokens") + cache_written + get_number(usage, "cache_read_input_tokens")
    return UsageReceipt(context, get_number(usage, "output_tokens")) if context else None


def make_result_value(result: RecordResult, words: str) -> JsonValue:
    """Return the content of a result, as blocks for Bedrock."""
    return [{"text": words}] if BEDROCK_RESULT in result.place else words


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result block of a call."""
    if BEDROCK_CALL in call.place:
        return {BEDROCK_RESULT: {"toolUseId": call.id, "content": [{"text": words}], "status": "error"}}
    return {"type": "tool_result", "tool_use_id": call.id, "content": words}


def wrap_results(results: Sequence[JsonValue]) -> JsonValue | None:
    """Return the user message that contains the results."""
    return {"role": "user", "content": list(results)}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary message, with the role "user": no other role may precede the model's message.

    Bedrock and Amp have no plain text as content.
    """
    del role, key, parent
    blocks = get_objects(neighbor, "content")
    if blocks and "type" not in blocks[0]:
        return ({"role": "user", "content": [{"text": words}]},)
    if isinstance(neighbor, dict) and "messageId" in neighbor:
        return ({"role": "user", "content": [{"type": "text", "text": words}]},)
    return ({"role": "user", "content": words},)
