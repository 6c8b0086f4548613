"""OpenCode sessions, as exported or served: a list of messages, each with its info and its parts.

A call and its result are one part. A compaction is a user message; the summary is the answer to it.
"""

from collections.abc import Iterable, Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import make_result_value as make_result_value
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.model.blocks import read_file
from ctxkit.core.chat.model.calls_and_results import enumerate_blocks
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
    UsageReceipt,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "opencode", "", False
RULES = ApiRules("within", user_opens=True, loops_are_atomic=True, summary_role="user")
CLEARED = "[Old tool result content cleared]"
INTERRUPTED = "[Tool execution was interrupted]"
"""Text that OpenCode sends for a cleared result, and for a missing one."""
_USER_TEXTS = {"compaction": "What did we do so far?", "subtask": "The following tool was executed by the user"}
"""Text that OpenCode sends for special parts of a user message."""
_INLINE_FILES = ("text/plain", "application/x-directory")
"""Types of files whose text is in a separate part."""
_ABORTED = "MessageAbortedError"


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is an export, a list of messages, or a message."""
    if isinstance(value, dict) and "messages" in value:
        value = value["messages"]
    return _is_message(value) or (isinstance(value, list) and bool(value) and all(map(_is_message, value)))


def _is_message(value: JsonValue) -> bool:
    return get_text(get_object(value, "info"), "role") in ("user", "assistant") and isinstance(value.get("parts"), list)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the sent messages, and the links of others; raise ValueError if a value is not a message."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = value["messages"]
    for message in value if isinstance(value, list) else [value]:
        if not _is_message(message):
            raise ValueError("not a message: it has no info or no parts")
        yield from _read_message(message)


def _read_message(value: dict[str, JsonValue]) -> Iterator[ChatEntry]:
    """Yield a message, and a second one with the results of its calls."""
    info = value["info"]
    link, parts = EntryLink(get_text(info, "id")), get_objects(value, "parts")
    if not _is_sent(value):
        yield link
        return
    if info["role"] == "user":
        yield ChatMessage(
            "user",
            tuple(part for raw_part in parts for part in _read_user_part(raw_part)),
            link=link,
            kept=_find_kept_tail(info, parts),
        )
        return
    tools = [raw_part for raw_part in parts if get_text(raw_part, "type") == "tool"]
    ids = tuple(get_text(raw_part, "callID") for raw_part in tools)
    yield ChatMessage(
        "assistant", tuple(part for raw_part in parts for part in _read_assistant_part(raw_part)), calls=ids, link=link
    )
    if tools:
        results = (MessagePart("result", _read_output(raw_part)[0], get_text(raw_part, "tool")) for raw_part in tools)
        yield ChatMessage("tool", tuple(results), answers=ids)


def _is_sent(value: dict[str, JsonValue]) -> bool:
    """Return whether a message is sent: failed messages are not, unless the user stopped one with output."""
    kinds = {get_text(part, "type") for part in get_objects(value, "parts")}
    error = get_object(value["info"], "error")
    return (
        bool(kinds - {"step-start", "reasoning"}) if get_text(error, "name") == _ABORTED else bool(kinds) and not error
    )


def _find_kept_tail(info: dict[str, JsonValue], parts: Sequence[dict[str, JsonValue]]) -> KeptTail | None:
    """Return the first message that a compaction keeps, by default the compaction itself."""
    compaction = next((part for part in parts if get_text(part, "type") == "compaction"), None)
    return None if compaction is None else KeptTail(get_text(compaction, "tail_start_id") or get_text(info, "id"))


def _read_user_part(part: dict[str, JsonValue]) -> Iterator[MessagePart]:
    kind, mime = get_text(part, "type"), get_text(part, "mime")
    if kind in _USER_TEXTS:
        yield MessagePart("text", _USER_TEXTS[kind])
    elif kind == "text" and part.get("ignored") is not True and get_text(part, "text"):
        yield MessagePart("text", part["text"])
    elif kind == "file" and mime not in _INLINE_FILES:
        yield read_file(part, "file")


def _read_assistant_part(part: dict[str, JsonValue]) -> Iterator[MessagePart]:
    kind, words = get_text(part, "type"), get_text(part, "text")
    if kind == "tool":
        yield MessagePart("call", dump_value(get_object(part, "state").get("input")), get_text(part, "tool"))
    elif kind in ("text", "reasoning") and words:
        yield MessagePart("text" if kind == "text" else "thinking", words)


def _read_output(part: dict[str, JsonValue]) -> tuple[str, str]:
    """Return the result text that a model receives, and the key of the state that contains it, if any."""
    state = get_object(part, "state")
    if get_number(get_object(state, "time"), "compacted"):
        return CLEARED, ""
    key = {"completed": "output", "error": "error"}.get(get_text(state, "status"), "")
    return (get_text(state, key), key) if key else (INTERRUPTED, "")


def find_entry_list(document: JsonValue) -> Place | None:
    """Return the place of the messages in an export."""
    if isinstance(document, list):
        return ()
    return ("messages",) if isinstance(document, dict) and isinstance(document.get("messages"), list) else None


def _select_parts(
    parts: Iterable[tuple[int, dict[str, JsonValue]]], kind: str
) -> list[tuple[int, dict[str, JsonValue]]]:
    """Return the parts of a type with their places."""
    return [(at, part) for at, part in parts if get_text(part, "type") == kind]


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a message; a message that is not sent is a note."""
    if not _is_sent(value):
        return RecordContent(kind="note")
    info, parts = value["info"], list(enumerate_blocks(value.get("parts")))
    free = [(at, part) for at, part in _select_parts(parts, "text") if get_text(part, "text")]
    words = tuple(
        RecordPassage(part["text"], ("parts", at, "text")) for at, part in free if part.get("ignored") is not True
    )
    if info["role"] == "user":
        by_user = any(part.get("synthetic") is not True for _, part in free)
        return RecordContent("user", passages=words, automatic=not by_user)
    tools = _select_parts(parts, "tool")
    first = next((part for _, part in parts if get_text(part, "type") != "step-start"), {})
    return RecordContent(
        "assistant",
        "summary" if info.get("summary") is True else "message",
        tuple(_read_call(part, ("parts", at)) for at, part in tools),
        tuple(result for at, part in tools for result in _read_result(part, ("parts", at))),
        words,
        has_reasoning=get_text(first, "type") == "reasoning",
        receipt=_read_receipt(get_object(info, "tokens")),
    )


def _read_call(part: dict[str, JsonValue], unit: Place) -> RecordCall:
    arguments = get_object(get_object(part, "state"), "input")
    return RecordCall(
        get_text(part, "callID"),
        get_text(part, "tool"),
        arguments,
        (*unit, "state", "input"),
        unit,
        needs_no_result=True,
    )


def _read_result(part: dict[str, JsonValue], unit: Place) -> Iterator[RecordResult]:
    words, key = _read_output(part)
    if key:
        known, plain = (get_text(part, "callID"), words), not get_objects(get_object(part, "state"), "attachments")
        yield RecordResult(*known, (*unit, "state", key), get_text(part, "tool"), key == "error", plain, unit=unit)


def _read_receipt(tokens: dict[str, JsonValue]) -> UsageReceipt | None:
    """Return the token usage of a request, None if unknown; OpenCode counts cached input separately."""
    cache = get_object(tokens, "cache")
    context = get_number(tokens, "input") + get_number(cache, "read") + get_number(cache, "write")
    return UsageReceipt(context, get_number(tokens, "output") + get_number(tokens, "reasoning")) if context else None


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return a part that contains a call and its result."""
    state = {"status": "error", "input": call.arguments, "error": words, "time": {"start": 0, "end": 0}}
    return {"type": "tool", "callID": call.id, "tool": call.name, "state": state}


def wrap_results(results: Sequence[JsonValue]) -> JsonValue | None:
    """Return the model message that contains calls with their results."""
    return {"info": {"role": "assistant"}, "parts": list(results)}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the user message of a summary, with the model and the agent of the next message."""
    del role, parent
    info = get_object(neighbor, "info")
    named = {"providerID": get_text(info, "providerID"), "modelID": get_text(info, "modelID")}
    session, id_ = {"sessionID": get_text(info, "sessionID")}, make_id(key)
    known = {"agent": get_text(info, "agent") or "build", "model": get_object(info, "model") or named}
    time = {"created": max(get_number(get_object(info, "time"), "created") - 1, 0)}
    part = {"id": f"prt_{key[:26]}", **session, "messageID": id_, "type": "text", "text": words, "synthetic": True}
    return ({"info": {"id": id_, **session, "role": "user", "time": time, **known}, "parts": [part]},)


def make_id(key: str) -> str:
    """Return the id that a new message derives from ``key``; the zero time sorts before OpenCode's ids."""
    return f"msg_{'0' * 12}{key[:14]}"
