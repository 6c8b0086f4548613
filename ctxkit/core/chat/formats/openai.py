"""OpenAI Chat Completions: a request, an array of messages, or one message per line; most other APIs copy it.

Copilot CLI kept its sessions in this form before it wrote events, as ``chatMessages`` beside what it displays.

Haystack has other blocks for calls and results (haystack/dataclasses/chat_message.py, 2026-11). Kimi CLI writes notes
between the messages, whose role begins with "_" (wiki/context-management.md of MoonshotAI/kimi-cli, 2026-11).
"""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.editing import wrap_results as wrap_results
from ctxkit.core.chat.model.blocks import HAYSTACK_CALL, HAYSTACK_RESULT
from ctxkit.core.chat.model.calls_and_results import (
    SUBAGENT_ROLE,
    find_call_copies,
    find_calls,
    find_passages,
    find_results,
    is_message,
    is_message_list,
    is_plain_text,
    parse_arguments,
    read_message,
    read_result_id,
    read_result_text,
    read_toolset,
)
from ctxkit.core.chat.model.json_fields import get_number, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    ConversationStart,
    EntryLink,
    MessagePart,
    Place,
    RecordCall,
    RecordContent,
    RecordPassage,
    RecordResult,
    Role,
    UsageReceipt,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "openai", "openai", True
RULES = ApiRules("near")
_UNSENT_ROLES = (SUBAGENT_ROLE, "_checkpoint", "_usage")
"""Beginnings of the roles of entries that are not sent."""
_LIST_KEYS = ("messages", "chatMessages")
ROLES_BY_NAME: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "ipython": "tool",
    "toolResult": "tool",
    "tool_result": "tool",
    "_system_prompt": "system",
}
"""Roles by their names in this and other formats."""


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a request, a list of messages, or a message."""
    if isinstance(value, dict):
        return any(is_message_list(value.get(key)) for key in _LIST_KEYS) or is_message(value)
    return is_message_list(value)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield tools and messages; raise ValueError if there are none.

    A line may contain a whole conversation, as in fine-tuning files; each one starts a new conversation.
    """
    if isinstance(value, list):
        for item in value:
            yield from _read_item(item)
    elif isinstance(value, dict) and (key := _find_list_key(value)):
        yield ConversationStart()
        if toolset := read_toolset(value):
            yield toolset
        if words := get_text(value, "system_prompt"):
            yield ChatMessage("system", (MessagePart("text", words),))
        yield from map(_read_message, get_objects(value, key))
    else:
        yield from _read_item(value)


def _read_item(value: JsonValue) -> Iterator[ChatEntry]:
    if not isinstance(value, dict) or not get_text(value, "role"):
        raise ValueError("not a message: it has no role")
    yield _read_message(value)


def _read_message(value: dict[str, JsonValue]) -> ChatEntry:
    if not _is_sent(value):
        return EntryLink("", is_sidechain=True)
    return read_message({**value, "role": "system"} if value["role"] == "_system_prompt" else value)


def _is_sent(value: dict[str, JsonValue]) -> bool:
    """Return whether a message belongs to the request: it is no note, and of no other agent's conversation."""
    return not get_text(value, "role").startswith(_UNSENT_ROLES)


def find_entry_list(document: JsonValue) -> Place | None:
    """Return the place of the messages in a request; raise ValueError for a list of requests."""
    if isinstance(document, list):
        if any(isinstance(item, dict) and isinstance(item.get("messages"), list) for item in document):
            raise ValueError("it contains several conversations")
        return ()
    key = _find_list_key(document) if isinstance(document, dict) else ""
    return (key,) if key and isinstance(document[key], list) else None


def _find_list_key(value: dict[str, JsonValue]) -> str:
    """Return the member of a document that contains the messages, empty if there is none."""
    return next((key for key in _LIST_KEYS if key in value), "")


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a message; the API allows no calls in tool messages."""
    if not _is_sent(value):
        return RecordContent(kind="note")
    role, content = ROLES_BY_NAME.get(get_text(value, "role"), "user"), value.get("content")
    if role != "tool" and len(value) == 2 and isinstance(content, str):  # most messages are a role and a text
        return RecordContent(role, passages=(RecordPassage(content, ("content",)),))
    answers = tuple(_read_results(value)) if role == "tool" else tuple(find_results(content, ("content",)))
    words = () if role == "tool" else tuple(find_passages(content, ("content",)))
    calls = () if role == "tool" else tuple(_read_all_calls(value))
    return RecordContent(
        role, calls=calls, results=answers, passages=words, receipt=_read_receipt(value), automatic=_is_automatic(value)
    )


def _is_automatic(value: dict[str, JsonValue]) -> bool:
    """Return whether a program wrote a message: mini-swe-agent names why it interrupts, and ends a run as "exit"."""
    is_interruption = bool(get_text(get_object(value, "extra") or {}, "interrupt_type"))
    return is_interruption or get_text(value, "role") == "exit"


def _read_results(value: dict[str, JsonValue]) -> Iterator[RecordResult]:
    """Yield the result in a tool message, or the results in its blocks."""
    content = value.get("content")
    blocks = tuple(find_results(content, ("content",)))
    yield from blocks
    if not blocks:
        failed = value.get("is_error") is True or get_text(value, "status") == "error"
        name, is_plain = get_text(value, "name"), is_plain_text(content)
        yield RecordResult(read_result_id(value), read_result_text(content), ("content",), name, failed, is_plain)


def _read_all_calls(value: dict[str, JsonValue]) -> Iterator[RecordCall]:
    """Yield the calls beside the content of a message and those in it; a block that repeats a call is its copy."""
    calls, content = tuple(_read_calls(value)), value.get("content")
    arguments = {call.id: call.arguments for call in calls if call.id}
    copies = find_call_copies(content, ("content",), arguments)
    yield from (call._replace(copies=copies.get(call.id, ())) for call in calls)
    yield from (call for call in find_calls(content, ("content",)) if call.id not in arguments)


def _read_calls(value: dict[str, JsonValue]) -> Iterator[RecordCall]:
    """Yield calls in the forms of Chat Completions, of its older ``function_call``, and of LangChain."""
    calls = value.get("tool_calls")
    for at, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            yield _read_call(call, ("tool_calls", at))
    if get_object(value, "function_call"):
        yield _read_call(value["function_call"], ("function_call",))


def _read_call(call: dict[str, JsonValue], unit: Place) -> RecordCall:
    kind = next((key for key in ("function", "custom") if get_object(call, key)), "")
    body = get_object(call, kind) or call
    key = next((key for key in ("arguments", "input", "args") if key in body), "arguments")
    place = (*unit, kind, key) if kind else (*unit, key)
    return RecordCall(get_text(call, "id"), get_text(body, "name"), parse_arguments(body.get(key)), place, unit)


def make_result_value(result: RecordResult, words: str) -> JsonValue:
    """Return the content of a result: an object for the output in a list of blocks of the AI SDK."""
    if len(result.place) > 2 and result.place[-1] == "output":
        return {"type": "text", "value": words}
    return words


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result message of a call."""
    if call.place[-2:-1] == (HAYSTACK_CALL,):
        origin = {"tool_name": call.name, "arguments": call.arguments, "id": call.id or None}
        return {"role": "tool", "content": [{HAYSTACK_RESULT: {"result": words, "origin": origin, "error": True}}]}
    if not call.id:
        return {"role": "function", "name": call.name, "content": words}
    return {"role": "tool", "tool_call_id": call.id, "content": words}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary message: Haystack needs a list, others a block without a list if the next message has one."""
    del key, parent
    blocks = get_objects(neighbor, "content")
    if blocks and "type" not in blocks[0]:
        return ({"role": role, "meta": {}, "name": None, "content": [{"text": words}]},)
    is_block = bool(get_object(neighbor, "content"))
    return ({"role": role, "content": {"type": "text", "text": words} if is_block else words},)


def _read_receipt(value: dict[str, JsonValue]) -> UsageReceipt | None:
    """Return the token usage that a log stores with a message, with OpenAI's or LangChain's names."""
    usage = get_object(value, "usage") or get_object(value, "usage_metadata")
    context = get_number(usage, "prompt_tokens") or get_number(usage, "input_tokens")
    output = get_number(usage, "completion_tokens") or get_number(usage, "output_tokens")
    return UsageReceipt(context, output) if context else None
