"""Copilot CLI sessions: events.jsonl with one event per line, each linked to the event before it.

The schema of the events is published with the program (schemas/session-events.schema.json, version 1.0.102). Events
come in the order of time: of several calls at once, each is a message, and a result follows when its tool returns.
"""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules, ValuePatch, find_copies
from ctxkit.core.chat.editing import find_entry_list as find_entry_list
from ctxkit.core.chat.editing import make_result_value as make_result_value
from ctxkit.core.chat.editing import wrap_results as wrap_results
from ctxkit.core.chat.formats.claude_code import make_id as make_id
from ctxkit.core.chat.model.calls_and_results import enumerate_blocks, find_passages, parse_arguments
from ctxkit.core.chat.model.json_fields import dump_value, get_number, get_object, get_objects, get_text
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
    Rewind,
    UsageReceipt,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "copilot", "", False
RULES = ApiRules("any", summary_role="user")
TIME = "1970-01-01T00:00:00.000Z"
"""Default time of a new event: every event must have a time."""
_SYSTEM, _USER, _ASSISTANT = "system.message", "user.message", "assistant.message"
_RESULT = "tool.execution_complete"
_COMPACTION_START, _COMPACTION_END = "session.compaction_start", "session.compaction_complete"
_USAGE = "session.usage_record"
_REWIND = "session.snapshot_rewind"
_HEADER = "session.start"
_ATTEMPT = "compactionAttemptId"
_NAMESPACES = ("session.", "user.", "assistant.", "tool.", "system.", "hook.", "subagent.", "model.", "skill.")


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is an event of a session."""
    linked = get_text(value, "type").startswith(_NAMESPACES) and "parentId" in value
    return linked and bool(get_text(value, "id")) and isinstance(value.get("data"), dict)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the message of an event, or its link; raise ValueError if the value is not an event.

    A compaction keeps the messages since its start. A rewind takes back the event that it names, and all after it. Each
    turn writes the system prompt again, as it was sent then: the last one replaces those of earlier turns.
    """
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        raise ValueError("not a session event")
    kind, data, link = get_text(value, "type"), get_object(value, "data"), _read_link(value)
    if kind == _REWIND:
        yield Rewind(since=get_text(data, "upToEventId"))
    elif kind == _COMPACTION_START and get_text(data, _ATTEMPT):
        yield link._replace(id=get_text(data, _ATTEMPT))
        yield link._replace(parent=get_text(data, _ATTEMPT))
    elif _is_compaction(value):
        summary = MessagePart("text", get_text(data, "summaryContent"))
        yield ChatMessage("user", (summary,), "compaction", link=link, kept=KeptTail(get_text(data, _ATTEMPT)))
    else:
        message = _read_message(kind, data)
        series = f"{get_text(data, 'role')} {get_text(data, 'name')}" if kind == _SYSTEM else ""
        yield message._replace(link=link._replace(series=series)) if message else link


def _read_link(value: dict[str, JsonValue]) -> EntryLink:
    is_sidechain = bool(get_text(value, "agentId"))
    return EntryLink(get_text(value, "id"), get_text(value, "parentId"), is_sidechain=is_sidechain, is_tip=True)


def _is_compaction(value: dict[str, JsonValue]) -> bool:
    data = get_object(value, "data")
    is_done = get_text(value, "type") == _COMPACTION_END and data.get("success") is True
    return is_done and bool(get_text(data, "summaryContent"))


def _read_message(kind: str, data: dict[str, JsonValue]) -> ChatMessage | None:
    """Return the message of an event as a model receives it, None for another event."""
    if kind == _SYSTEM:
        return ChatMessage("system", (MessagePart("text", get_text(data, "content")),))
    if kind == _USER:
        return ChatMessage("user", (MessagePart("text", get_text(data, _find_user_key(data))),))
    if kind == _ASSISTANT:
        return _read_answer(data)
    if kind == _RESULT:
        _, text = _find_result(data)
        id_ = get_text(data, "toolCallId")
        return ChatMessage("tool", (MessagePart("result", text),), answers=(id_,) if id_ else ())
    return None


def _find_user_key(data: dict[str, JsonValue]) -> str:
    """Return the member with the text that the model receives: what the user typed, with the additions of the host."""
    return "transformedContent" if get_text(data, "transformedContent") else "content"


def _read_answer(data: dict[str, JsonValue]) -> ChatMessage:
    calls = get_objects(data, "toolRequests")
    texts = [MessagePart("thinking", words) for words in (get_text(data, "reasoningText"),) if words]
    texts += [MessagePart("text", words) for words in (get_text(data, "content"),) if words]
    parts = [MessagePart("call", dump_value(call.get("arguments")), get_text(call, "name")) for call in calls]
    ids = tuple(filter(None, (get_text(call, "toolCallId") for call in calls)))
    return ChatMessage("assistant", (*texts, *parts), calls=ids)


def _find_result(data: dict[str, JsonValue]) -> tuple[Place, str]:
    """Return the place of a result's text, and the text: that of the error if the tool failed."""
    if isinstance(get_object(data, "result").get("content"), str):
        return ("data", "result", "content"), get_text(get_object(data, "result"), "content")
    return ("data", "error", "message"), get_text(get_object(data, "error"), "message")


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of an event."""
    kind, data = get_text(value, "type"), get_object(value, "data")
    if _is_compaction(value):
        passage = RecordPassage(get_text(data, "summaryContent"), ("data", "summaryContent"))
        return RecordContent("user", "summary", passages=(passage,), automatic=True)
    if kind == _SYSTEM:
        return RecordContent("system", passages=tuple(find_passages(data.get("content"), ("data", "content"))))
    if kind == _USER:
        key = _find_user_key(data)
        return RecordContent(
            "user",
            passages=tuple(find_passages(data.get(key), ("data", key))),
            automatic=data.get("isAutopilotContinuation") is True or bool(get_text(data, "source")),
        )
    if kind == _ASSISTANT:
        passages = tuple(find_passages(data.get("content"), ("data", "content")))
        return RecordContent("assistant", calls=tuple(_read_calls(data)), passages=passages)
    if kind == _RESULT:
        return RecordContent("tool", results=(_read_result(data),))
    if kind == _USAGE:
        return RecordContent(kind="note", receipt=_read_receipt(get_object(data, "usage")))
    return RecordContent(kind="head" if kind == _HEADER else "note")


def _read_receipt(usage: dict[str, JsonValue]) -> UsageReceipt | None:
    """Return the token usage of a request; its input includes cached tokens."""
    context = get_number(usage, "inputTokens")
    return UsageReceipt(context, get_number(usage, "outputTokens")) if context else None


def _read_calls(data: dict[str, JsonValue]) -> Iterator[RecordCall]:
    for at, call in enumerate_blocks(data.get("toolRequests")):
        place = ("data", "toolRequests", at)
        arguments = parse_arguments(call.get("arguments"))
        yield RecordCall(get_text(call, "toolCallId"), get_text(call, "name"), arguments, (*place, "arguments"), place)


def _read_result(data: dict[str, JsonValue]) -> RecordResult:
    """Return the result of a tool; one that succeeded may have run a command that did not."""
    place, text = _find_result(data)
    failed = data.get("success") is not True or get_object(data, "shellExecution").get("exitCode") not in (0, None)
    copies = () if place[1] == "error" else find_copies(data["result"], text, ("data", "result"))
    others = tuple(copy for copy in copies if copy != place)
    return RecordResult(get_text(data, "toolCallId"), text, place, failed=failed, copies=others)


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result event of a call; ``attach_entry`` links it to the session."""
    return {"type": _RESULT, "data": {"toolCallId": call.id, "success": False, "error": {"message": words}}}


def attach_entry(value: JsonValue, key: str, parent: str | None, neighbor: JsonValue) -> JsonValue:
    """Return an event with its id, its parent, and the time of the next event."""
    time = get_text(neighbor, "timestamp") or TIME
    return {"type": value["type"], "data": value["data"], "id": make_id(key), "timestamp": time, "parentId": parent}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary event, a message of the user that a program wrote."""
    del role
    event: JsonValue = {"type": _USER, "data": {"content": words, "source": "summary"}}
    return (attach_entry(event, key, parent, neighbor),)


def patch_parent(value: JsonValue, parent: str | None) -> Sequence[ValuePatch]:
    """Return the patch that changes the parent of an event, None for the root."""
    return (ValuePatch(("parentId",), parent),) if "parentId" in value else ()
