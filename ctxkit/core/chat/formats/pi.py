"""pi sessions: one entry per line, linked as a tree since version 2."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules, ValuePatch, find_copies
from ctxkit.core.chat.editing import find_entry_list as find_entry_list
from ctxkit.core.chat.editing import wrap_results as wrap_results
from ctxkit.core.chat.model.blocks import read_parts
from ctxkit.core.chat.model.calls_and_results import (
    find_calls,
    find_passages,
    find_results,
    has_leading_reasoning,
    is_plain_text,
    read_message,
    read_result_text,
)
from ctxkit.core.chat.model.json_fields import get_number, get_object, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    EntryLink,
    KeptTail,
    MessagePart,
    Place,
    RecordCall,
    RecordContent,
    RecordPassage,
    RecordResult,
    UsageReceipt,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "pi", "", False
RULES = ApiRules("near", summary_role="user")
TIME = "1970-01-01T00:00:00.000Z"
"""Default time of a new entry: every entry must have a time."""
_HEADER = {"cwd", "id", "timestamp"}
_FAILED_STOPS = ("error", "aborted")
"""Stop reasons of responses that pi does not send again, so that their calls need no results."""
_CUSTOM = ("custom", "hookMessage")
"""Roles of messages from extensions; the model receives them as user messages."""
_MESSAGE: Place = ("message", "content")


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is the header or a message of a session."""
    if get_text(value, "type") == "session":
        return set(value) >= _HEADER
    return get_text(value, "type") == "message" and bool(get_text(get_object(value, "message"), "role"))


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the message or summary of a line, or its link; raise ValueError if the value is not an object."""
    if not isinstance(value, dict):
        raise ValueError("not a session entry")
    kind, link, message = get_text(value, "type"), _read_link(value), get_object(value, "message")
    if kind == "message":
        yield _read_message(message, link)
    elif kind == "compaction":
        # An index of 0 means the header, which cannot be kept: then the compaction keeps nothing.
        kept = KeptTail(get_text(value, "firstKeptEntryId"), get_number(value, "firstKeptEntryIndex") or None)
        yield ChatMessage(
            "user", (MessagePart("text", get_text(value, "summary")),), "compaction", link=link, kept=kept
        )
    elif kind == "branch_summary":
        yield ChatMessage("user", (MessagePart("text", get_text(value, "summary")),), kind, link=link)
    elif kind == "custom_message":
        yield ChatMessage("user", tuple(read_parts(value.get("content"))), get_text(value, "customType"), link=link)
    else:
        yield link


def _read_message(message: dict[str, JsonValue], link: EntryLink) -> ChatMessage | EntryLink:
    """Return a message, or only the link of a user command that is excluded from the context."""
    role = get_text(message, "role")
    if role == "bashExecution":
        return link if message.get("excludeFromContext") is True else _read_command(message, link)
    if role in _CUSTOM:
        return ChatMessage(
            "user", tuple(read_parts(message.get("content"))), get_text(message, "customType"), link=link
        )
    return read_message(message, link)


def _read_command(message: dict[str, JsonValue], link: EntryLink) -> ChatMessage:
    """Return a user command as the text that pi sends: the command and its output."""
    words = f"Ran `{get_text(message, 'command')}`\n```\n{get_text(message, 'output')}\n```"
    return ChatMessage("user", (MessagePart("text", words),), "bash", link=link)


def _read_link(value: dict[str, JsonValue]) -> EntryLink:
    header = get_text(value, "type") == "session"
    parent = (
        "" if header or ("parentId" in value and value["parentId"] is None) else get_text(value, "parentId") or None
    )
    return EntryLink(get_text(value, "id"), parent, is_tip=not header)


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of an entry."""
    kind = get_text(value, "type")
    if kind == "message":
        return _read_message_content(get_object(value, "message"))
    if kind in ("compaction", "branch_summary"):
        words = get_text(value, "summary")
        return RecordContent(
            "user", "summary", passages=(RecordPassage(words, ("summary",)),) if words else (), automatic=True
        )
    if kind == "custom_message":
        return RecordContent("user", passages=tuple(find_passages(value.get("content"), ("content",))), automatic=True)
    return RecordContent(kind="head" if kind == "session" else "note")


def _read_message_content(message: dict[str, JsonValue]) -> RecordContent:
    role, content = get_text(message, "role"), message.get("content")
    words = tuple(find_passages(content, _MESSAGE))
    if role == "toolResult":
        return RecordContent("tool", results=(_read_result(message),))
    if role == "bashExecution":
        return _read_command_content(message)
    if role != "assistant":
        results = tuple(find_results(content, _MESSAGE))
        return RecordContent("user", results=results, passages=words, automatic=role in _CUSTOM)
    failed = get_text(message, "stopReason") in _FAILED_STOPS
    calls = tuple(call._replace(needs_no_result=failed) for call in find_calls(content, _MESSAGE))
    return RecordContent(
        "assistant",
        calls=calls,
        passages=words,
        has_reasoning=has_leading_reasoning(content),
        receipt=None if failed else read_receipt(message),
    )


def _read_result(message: dict[str, JsonValue]) -> RecordResult:
    content = message.get("content")
    words, failed = read_result_text(content), message.get("isError") is True
    copies = find_copies(message.get("details"), words, ("message", "details"))
    id_, name = get_text(message, "toolCallId"), get_text(message, "toolName")
    return RecordResult(id_, words, _MESSAGE, name, failed, is_plain_text(content), copies)


def _read_command_content(message: dict[str, JsonValue]) -> RecordContent:
    if message.get("excludeFromContext") is True:
        return RecordContent(kind="note")
    words = get_text(message, "output")
    return RecordContent(
        "user", passages=(RecordPassage(words, ("message", "output")),) if words else (), automatic=True
    )


def read_receipt(message: dict[str, JsonValue]) -> UsageReceipt | None:
    """Return the token usage of a response, None if unknown."""
    usage = get_object(message, "usage")
    context = get_number(usage, "input") + get_number(usage, "cacheRead") + get_number(usage, "cacheWrite")
    return UsageReceipt(context, get_number(usage, "output")) if context else None


def make_result_value(result: RecordResult, words: str) -> JsonValue:
    """Return the content of a result, always as blocks."""
    del result
    return _make_blocks(words)


def _make_blocks(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result entry of a call; ``attach_entry`` links it to the session.

    Some programs write Anthropic blocks into pi entries; the result of such a call is a block too.
    """
    if call.place[-1:] == ("input",):
        block = {"type": "tool_result", "tool_use_id": call.id, "content": words}
        return {"type": "message", "message": {"role": "user", "content": [block]}}
    message = {"role": "toolResult", "toolCallId": call.id, "toolName": call.name, "content": _make_blocks(words)}
    return {"type": "message", "message": {**message, "isError": True, "timestamp": 0}}


def attach_entry(value: JsonValue, key: str, parent: str | None, neighbor: JsonValue) -> JsonValue:
    """Return an entry with the time of the next entry and, if the session has ids, with its id and parent."""
    linked = {"id": make_id(key), "parentId": parent} if _has_ids(neighbor) else {}
    return {"type": value["type"], **linked, "timestamp": get_text(neighbor, "timestamp") or TIME, **value}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary entry as pi writes it, which keeps all later entries and no earlier ones.

    With a parent, it is a message instead, because entries before a compaction are not sent.
    """
    del role
    if parent:
        message: dict[str, JsonValue] = {
            "type": "custom_message",
            "customType": "summary",
            "content": words,
            "display": True,
        }
        return (attach_entry(message, key, parent, neighbor),)
    first = (
        {"firstKeptEntryId": get_text(neighbor, "id") or make_id(key)}
        if _has_ids(neighbor)
        else {"firstKeptEntryIndex": 0}
    )
    return (attach_entry({"type": "compaction", "summary": words, **first, "tokensBefore": 0}, key, None, neighbor),)


def _has_ids(neighbor: JsonValue) -> bool:
    """Return whether the entries of a session have ids: before version 2, only the header has one."""
    return not isinstance(neighbor, dict) or "id" in neighbor


def make_id(key: str) -> str:
    """Return the 8-digit id that a new entry derives from ``key``, 32 hex digits."""
    return key[:8]


def patch_parent(value: JsonValue, parent: str | None) -> Sequence[ValuePatch]:
    """Return the patch that changes the parent of an entry, None for the root."""
    return (ValuePatch(("parentId",), parent),) if "parentId" in value else ()
