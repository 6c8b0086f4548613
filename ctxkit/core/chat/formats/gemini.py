"""Gemini: a request, a list of contents, one content per line, or a Gemini CLI session.

A fork names the model's messages after itself: Qwen Code of 2025 writes the type "qwen". A log repeats a message that
changes, for example when its tools return. Other lines rewind messages.
"""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.model.blocks import read_file, read_parts
from ctxkit.core.chat.model.calls_and_results import (
    enumerate_blocks,
    find_passages,
    is_plain_text,
    parse_arguments,
    read_result_text,
    read_toolset,
)
from ctxkit.core.chat.model.json_fields import dump_value, get_number, get_object, get_objects, get_text
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
    Rewind,
    Role,
    UsageReceipt,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "gemini", "google", False
RULES = ApiRules("next", user_opens=True, summary_role="user", has_call_ids=False)
_MEMBERS, _OTHER_MEMBERS = {"role", "parts"}, {"content", "contents", "type", "id"}
"""Members of a content, and those that only a request or a message of a session has."""


def _is_content(value: JsonValue) -> bool:
    return isinstance(value, dict) and bool(get_objects(value, "parts")) and set(value) <= {"role", "parts"}


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value has contents with parts, or is a session or a line of one."""
    if isinstance(value, list):
        return (bool(value) and all(map(_is_content, value))) or is_log(value)
    return _is_content(value) or any(map(_is_content, get_objects(value, "contents"))) or _is_in_session(value)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the system instruction, the tools and the contents; raise ValueError if there are none."""
    if isinstance(value, list):
        for content in value:
            yield from read_entries(content)
    elif _is_message(value):
        yield _read_message(value)
    elif isinstance(value, dict) and "contents" in value and not is_session(value):
        yield from _read_request(value)
    else:
        yield from _read_session(value)


def _read_request(value: dict[str, JsonValue]) -> Iterator[ChatEntry]:
    yield ConversationStart()
    if toolset := read_toolset(value):
        yield toolset
    system = value.get("systemInstruction", value.get("system_instruction"))
    words = tuple(read_gemini_parts(system)) if isinstance(system, dict) else tuple(read_parts(system))
    if words:
        yield ChatMessage("system", words)
    contents = value["contents"]
    if isinstance(contents, str):
        yield ChatMessage("user", tuple(read_parts(contents)))
    for content in contents if isinstance(contents, list) else ():
        yield from read_entries(content)


def _is_message(value: JsonValue) -> bool:
    """Return whether a value is a content: one without parts is of an answer that ended before it had any."""
    return isinstance(value, dict) and bool(_MEMBERS & value.keys()) and not _OTHER_MEMBERS & value.keys()


def _read_message(value: dict[str, JsonValue]) -> ChatMessage:
    return ChatMessage(get_text(value, "role") or "user", tuple(read_gemini_parts(value)))


def find_entry_list(document: JsonValue) -> Place | None:
    """Return the place of the contents in a request, or of the messages in a session."""
    if isinstance(document, list):
        return ()
    key = "messages" if is_session(document) else "contents"
    return (key,) if isinstance(document, dict) and isinstance(document.get(key), list) else None


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a content or of a session message."""
    if _is_message(value):
        return _read_part_content(value)
    if "contents" in value:
        return RecordContent("user", passages=tuple(find_passages(value["contents"], ("contents",))))
    return _read_session_content(value)


def _read_part_content(value: dict[str, JsonValue]) -> RecordContent:
    parts = list(enumerate_blocks(value.get("parts")))
    return RecordContent(
        "assistant" if get_text(value, "role") == "model" else "user",
        calls=tuple(call for at, part in parts for call in read_part_call(part, ("parts", at))),
        results=tuple(result for at, part in parts for result in read_part_result(part, ("parts", at))),
        passages=tuple(RecordPassage(part["text"], ("parts", at, "text")) for at, part in parts if _is_editable(part)),
        has_reasoning=any(_is_signed(part) or part.get("thought") is True for _, part in parts),
    )


def _is_signed(part: dict[str, JsonValue]) -> bool:
    return "thoughtSignature" in part or "thought_signature" in part


def _is_editable(part: dict[str, JsonValue]) -> bool:
    """Return whether the text of a part may change: thoughts and signed parts may not."""
    return bool(get_text(part, "text")) and not _is_signed(part) and part.get("thought") is not True


def make_result_value(result: RecordResult, words: str) -> JsonValue:
    """Return the text of a result, as an object if it replaces an object."""
    return {"output": words} if result.place[-1] == "response" else words


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result part of a call."""
    id_member = {"id": call.id} if call.id else {}
    return {"functionResponse": {**id_member, "name": call.name, "response": {"output": words}}}


def wrap_results(results: Sequence[JsonValue]) -> JsonValue | None:
    """Return the user content that contains results."""
    return {"role": "user", "parts": list(results)}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary as a user content or as a session message, because Gemini has no system role."""
    del role, parent
    if get_text(neighbor, "type") and "timestamp" in neighbor:
        message = {"id": key[:32], "timestamp": neighbor["timestamp"], "type": "user", "content": [{"text": words}]}
        return (message,)
    return ({"role": "user", "parts": [{"text": words}]},)


_HEADER = ("sessionId", "projectHash")
_REWIND_KEY, _SET_KEY = "$rewindTo", "$set"
"""Members of log lines that rewind messages, and that replace session fields, including the messages."""
_MODEL_TYPES = ("gemini", "model", "qwen")
"""Types of the model's messages in Gemini CLI and its forks."""
_NOTICE_TYPES = ("info", "error", "warning")
"""Types of messages that the program shows to the user and does not send."""
_MODEL_MEMBERS = ("toolCalls", "thoughts", "tokens", "model")
"""Members that only the model's messages have."""


def _is_in_session(value: JsonValue) -> bool:
    """Return whether a value is a session, or a line of one that no other format contains."""
    return is_session(value) or _is_header(value) or _is_line(value)


def is_log(values: Sequence[JsonValue]) -> bool:
    """Return whether values are the lines of a log, and not sessions."""
    return any(_is_header(value) or _is_line(value) for value in values) and not any(map(is_session, values))


def _read_session(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the messages of a session or the change of a log line; raise ValueError for any other value."""
    if is_session(value):
        for message in get_objects(value, "messages"):
            yield from _read_line(message)
    elif get_text(value, _REWIND_KEY):
        yield Rewind(0, get_text(value, _REWIND_KEY))
    elif isinstance(get_object(value, _SET_KEY).get("messages"), list):
        yield Rewind()
        for message in get_objects(value[_SET_KEY], "messages"):
            yield from _read_line(message)
    elif get_text(value, "type"):
        yield from _read_line(value)
    elif not (_is_header(value) or get_object(value, _SET_KEY)):
        raise ValueError("not a content: it has no parts")


def _read_session_content(value: dict[str, JsonValue]) -> RecordContent:
    """Return the role, calls, results and passages of a session message; other lines are notes, the first the head."""
    if _is_header(value):
        return RecordContent(kind="head")
    if not (role := _read_role(value)):
        return (
            _read_update(value) if get_objects(get_object(value, _SET_KEY), "messages") else RecordContent(kind="note")
        )
    if not _is_known(value):
        return RecordContent(role, encrypted=True, is_unknown=True)
    tool_items = [
        pair for at, call in enumerate_blocks(value.get("toolCalls")) for pair in _read_call(call, ("toolCalls", at))
    ]
    return RecordContent(
        role,
        calls=tuple(item for item in tool_items if isinstance(item, RecordCall)),
        results=tuple(item for item in tool_items if isinstance(item, RecordResult)),
        passages=tuple(find_passages(value.get("content"), ("content",))),
        receipt=_read_receipt(get_object(value, "tokens")),
    )


def is_session(value: JsonValue) -> bool:
    """Return whether a value is a complete session with messages."""
    if not isinstance(value, dict):
        return False
    return "sessionId" in value and any(
        _read_role(message) and _is_known(message) for message in get_objects(value, "messages")
    )


def _read_role(message: dict[str, JsonValue]) -> Role:
    """Return the role of a message, empty for one that is not sent; a type that is not known may be sent."""
    kind = get_text(message, "type")
    if kind == "user":
        return "user"
    has_content = "content" in message or "toolCalls" in message
    return "assistant" if kind in _MODEL_TYPES or (kind and kind not in _NOTICE_TYPES and has_content) else ""


def _is_known(message: dict[str, JsonValue]) -> bool:
    """Return whether it is known who wrote a message that is sent: by its type, or by members of the model only."""
    return get_text(message, "type") in ("user", *_MODEL_TYPES) or any(key in message for key in _MODEL_MEMBERS)


def _is_header(value: JsonValue) -> bool:
    return all(get_text(value, key) for key in _HEADER) and not get_objects(value, "messages")


def _is_line(value: JsonValue) -> bool:
    """Return whether a value is a model message, which no other format writes in this form."""
    has_content = get_text(value, "type") in ("gemini", "qwen") and ("content" in value or "toolCalls" in value)
    return has_content and bool(get_text(value, "id"))


def _read_line(message: dict[str, JsonValue]) -> Iterator[ChatEntry]:
    """Yield the text, calls and results of a session message; a repeated message updates the earlier one."""
    role, id_ = _read_role(message), get_text(message, "id")
    if not role:
        return
    thoughts = [
        MessagePart("thinking", words) for item in get_objects(message, "thoughts") if (words := _format_thought(item))
    ]
    calls = get_objects(message, "toolCalls")
    parts = [*thoughts, *read_parts(message.get("content"))]
    parts += [MessagePart("call", dump_value(call.get("args")), get_text(call, "name")) for call in calls]
    link = EntryLink(id_, is_update=True) if id_ else None
    yield ChatMessage("user" if role == "user" else "model", tuple(parts), link=link)
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
    messages = get_object(value, _SET_KEY).get("messages")
    content = [(at, _read_session_content(item)) for at, item in enumerate_blocks(messages)]
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
        encrypted=any(item.encrypted for _, item in within),
        is_unknown=any(item.is_unknown for _, item in within),
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


def _get_either(part: dict[str, JsonValue], name: str, other: str) -> dict[str, JsonValue]:
    """Return the member of one of two spellings, empty without both."""
    return get_object(part, name) or get_object(part, other)


def read_gemini_parts(value: dict[str, JsonValue]) -> Iterator[MessagePart]:
    """Yield the parts of a content."""
    for part in get_objects(value, "parts"):
        call = _get_either(part, "functionCall", "function_call")
        answer = _get_either(part, "functionResponse", "function_response")
        inline = _get_either(part, "inlineData", "inline_data")
        if words := get_text(part, "text"):
            yield MessagePart("thinking" if part.get("thought") is True else "text", words)
        elif call:
            yield MessagePart("call", dump_value(call.get("args")), get_text(call, "name"))
        elif answer:
            yield MessagePart("result", dump_value(answer.get("response")), get_text(answer, "name"))
        elif inline or "fileData" in part or "file_data" in part:
            yield read_file(inline or _get_either(part, "fileData", "file_data"), "")
        elif rest := {key: member for key, member in part.items() if not key.startswith("thought")}:
            yield MessagePart("other", dump_value(rest))


def read_part_call(part: dict[str, JsonValue], unit: Place) -> Iterator[RecordCall]:
    """Yield the call in the part at ``unit``, if it is one."""
    for key in ("functionCall", "function_call"):
        if call := get_object(part, key):
            yield RecordCall(
                get_text(call, "id"),
                get_text(call, "name"),
                parse_arguments(call.get("args")),
                (*unit, key, "args"),
                unit,
            )


def read_part_result(part: dict[str, JsonValue], unit: Place) -> Iterator[RecordResult]:
    """Yield the result in the part at ``unit``: its only text, or the whole response as JSON."""
    for key in ("functionResponse", "function_response"):
        if not (answer := get_object(part, key)):
            continue
        response, place = answer.get("response"), (*unit, key, "response")
        words = dump_value(response)
        if isinstance(response, dict) and len(response) == 1:
            [(inner, value)] = response.items()
            words, place = (value, (*place, inner)) if isinstance(value, str) else (words, place)
        failed = isinstance(response, dict) and "error" in response
        yield RecordResult(
            get_text(answer, "id"),
            words,
            place,
            get_text(answer, "name"),
            failed,
            not get_objects(answer, "parts"),
            unit=unit,
        )
