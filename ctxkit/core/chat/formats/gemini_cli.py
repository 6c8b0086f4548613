"""Gemini CLI sessions: a document with messages, or a log with one message per line.

A log repeats a message that changes, for example when its tools return. Other lines rewind messages.
"""

from collections.abc import Iterator

from ctxkit.core.chat.formats.gemini_parts import read_gemini_parts, read_part_result
from ctxkit.core.chat.model.blocks import read_parts
from ctxkit.core.chat.model.calls_and_results import (
    enumerate_blocks,
    find_passages,
    is_plain_text,
    parse_arguments,
    read_result_text,
)
from ctxkit.core.chat.model.json_fields import dump_value, get_number, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import ChatEntry, ChatMessage, EntryLink, MessagePart, Rewind
from ctxkit.core.chat.model.record import Place, RecordCall, RecordContent, RecordPassage, RecordResult, UsageReceipt
from ctxkit.core.text.json_value import JsonValue

_HEADER = ("sessionId", "projectHash")
_REWIND_KEY, _SET_KEY = "$rewindTo", "$set"
"""Members of log lines that rewind messages, and that replace session fields, including the messages."""
_SENT_TYPES = ("user", "gemini", "model")
"""Types of messages that are sent to the model; other types are notices of the program."""


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a session, or a line of one that no other format contains."""
    return is_session(value) or _is_header(value) or _is_line(value)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the messages of a session or the change of a log line; raise ValueError for any other value."""
    if is_session(value):
        for message in get_objects(value, "messages"):
            yield from _read_message(message)
    elif get_text(value, _REWIND_KEY):
        yield Rewind(0, get_text(value, _REWIND_KEY))
    elif isinstance(get_object(value, _SET_KEY).get("messages"), list):
        yield Rewind()
        for message in get_objects(value[_SET_KEY], "messages"):
            yield from _read_message(message)
    elif get_text(value, "type"):
        yield from _read_message(value)
    elif not (_is_header(value) or get_object(value, _SET_KEY)):
        raise ValueError("not a content: it has no parts")


def read_content(value: dict[str, JsonValue]) -> RecordContent:
    """Return the role, calls, results and passages of a session message; other lines are notes, the first the head."""
    kind = get_text(value, "type")
    if _is_header(value):
        return RecordContent(kind="head")
    if kind not in _SENT_TYPES:
        return (
            _read_update(value) if get_objects(get_object(value, _SET_KEY), "messages") else RecordContent(kind="note")
        )
    tool_items = [
        pair for at, call in enumerate_blocks(value.get("toolCalls")) for pair in _read_call(call, ("toolCalls", at))
    ]
    return RecordContent(
        "user" if kind == "user" else "assistant",
        calls=tuple(item for item in tool_items if isinstance(item, RecordCall)),
        results=tuple(item for item in tool_items if isinstance(item, RecordResult)),
        passages=tuple(find_passages(value.get("content"), ("content",))),
        receipt=_read_receipt(get_object(value, "tokens")),
    )


def is_session(value: JsonValue) -> bool:
    """Return whether a value is a complete session with messages."""
    if not isinstance(value, dict):
        return False
    types = {get_text(message, "type") for message in get_objects(value, "messages")}
    return "sessionId" in value and bool(types.intersection(_SENT_TYPES))


def _is_header(value: JsonValue) -> bool:
    return all(get_text(value, key) for key in _HEADER) and not get_objects(value, "messages")


def _is_line(value: JsonValue) -> bool:
    """Return whether a value is a model message, which no other format writes in this form."""
    has_content = get_text(value, "type") == "gemini" and ("content" in value or "toolCalls" in value)
    return has_content and bool(get_text(value, "id"))


def _read_message(message: dict[str, JsonValue]) -> Iterator[ChatEntry]:
    """Yield the text, calls and results of a session message; a repeated message updates the earlier one."""
    kind, id_ = get_text(message, "type"), get_text(message, "id")
    if kind not in _SENT_TYPES:
        return
    thoughts = [
        MessagePart("thinking", words) for item in get_objects(message, "thoughts") if (words := _format_thought(item))
    ]
    calls = get_objects(message, "toolCalls")
    parts = [*thoughts, *read_parts(message.get("content"))]
    parts += [MessagePart("call", dump_value(call.get("args")), get_text(call, "name")) for call in calls]
    link = EntryLink(id_, is_update=True) if id_ else None
    yield ChatMessage("user" if kind == "user" else "model", tuple(parts), link=link)
    for at, call in enumerate(calls):
        result_link = EntryLink(f"{id_} {at}", is_update=True) if id_ else None
        yield ChatMessage("user", tuple(_read_result(call.get("result"))), get_text(call, "name"), link=result_link)


def _format_thought(item: dict[str, JsonValue]) -> str:
    return ": ".join(filter(None, (get_text(item, "subject"), get_text(item, "description"))))


def _read_result(result: JsonValue) -> Iterator[MessagePart]:
    if get_objects(result):
        yield from read_gemini_parts({"parts": result})
    else:
        yield from read_parts(result, "result")


def _read_update(value: dict[str, JsonValue]) -> RecordContent:
    """Return the content of a line that replaces all earlier messages; its messages are kept or dropped together."""
    content = [(at, read_content(item)) for at, item in enumerate_blocks(get_object(value, _SET_KEY).get("messages"))]
    within = [((_SET_KEY, "messages", at), item) for at, item in content]
    return RecordContent(
        *("user", "summary"),
        tuple(
            call._replace(place=(*at, *call.place), unit=(*at, *call.unit))
            for at, item in within
            for call in item.calls
        ),
        tuple(_nest_result(item, at) for at, content in within for item in content.results),
        tuple(RecordPassage(item.text, (*at, *item.place)) for at, content in within for item in content.passages),
    )


def _nest_result(result: RecordResult, at: Place) -> RecordResult:
    copies = tuple((*at, *copy) for copy in result.copies)
    return result._replace(place=(*at, *result.place), unit=(*at, *result.unit), copies=copies)


def _read_call(call: dict[str, JsonValue], unit: Place) -> Iterator[RecordCall | RecordResult]:
    """Yield a call of a session and its result; the session also stores the result as displayed."""
    name, result, display = get_text(call, "name"), call.get("result"), get_text(call, "resultDisplay")
    yield RecordCall(
        get_text(call, "id"), name, parse_arguments(call.get("args")), (*unit, "args"), unit, needs_no_result=True
    )
    tool_results = [
        tool_result
        for at, part in enumerate_blocks(result)
        for tool_result in read_part_result(part, (*unit, "result", at))
    ]
    if not tool_results and (words := read_result_text(result)):
        tool_results = [RecordResult("", words, (*unit, "result"), plain=is_plain_text(result))]
    for tool_result in tool_results:
        copies = ((*unit, "resultDisplay"),) if display and display in tool_result.text else ()
        failed = tool_result.failed or get_text(call, "status") == "error"
        yield tool_result._replace(id=get_text(call, "id"), name=name, failed=failed, copies=copies, unit=unit)


def _read_receipt(tokens: dict[str, JsonValue]) -> UsageReceipt | None:
    """Return the token usage of a request; its input includes cached tokens."""
    context = get_number(tokens, "input")
    return UsageReceipt(context, get_number(tokens, "output") + get_number(tokens, "thoughts")) if context else None
