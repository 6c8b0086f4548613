"""OpenHands trajectories: events, each either an action of the agent or an observation."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.editing import wrap_results as wrap_results
from ctxkit.core.chat.model.blocks import read_parts
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

NAME, PROVIDER, LINEAR = "openhands", "", True
RULES = ApiRules("any", loops_are_atomic=True, summary_role="user")
_UNSENT_EVENTS = (
    "agent_state_changed",
    "null",
    "change_agent_state",
    "recall",
    "condensation_request",
    "loop_recovery",
)
"""Types of internal events that are not sent to the model; recalled content is sent as an observation."""
_KEYS = ("history", "events")
_FINAL_ACTIONS = ("finish", "reject")
"""Actions without an observation."""
_CONDENSATION = "condensation"


def _is_event(value: JsonValue) -> bool:
    if is_event(value):
        return True
    acts = isinstance(value.get("action"), str) and isinstance(value.get("args"), dict) if _has_source(value) else False
    return acts or (_has_source(value) and isinstance(value.get("observation"), str))


def _has_source(value: JsonValue) -> bool:
    return get_text(value, "source") in ("user", "agent", "environment")


def _list_events(value: JsonValue) -> list[JsonValue]:
    if isinstance(value, list):
        return value
    return next((events for key in _KEYS if (events := get_objects(value, key))), [value])


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a list of events, an object with such a history, or an event."""
    events = _list_events(value)
    return bool(events) and all(map(_is_event, events[:3]))


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the messages of each event; raise ValueError if a value is not an event."""
    if isinstance(value, dict) and not _has_source(value) and not is_event(value):
        yield ConversationStart()
    events = _list_events(value)
    for event in events:
        if is_event(event):
            yield from _read_sdk_entries(event)
        elif not isinstance(event, dict) or not _has_source(event):
            raise ValueError("not an event: it has no source")
        else:
            yield from _read_event(event)


def _read_event(value: dict[str, JsonValue]) -> Iterator[ChatEntry]:
    action, observation, args = get_text(value, "action"), get_text(value, "observation"), get_object(value, "args")
    if _is_unsent(value):
        return
    if action == "system":
        if toolset := read_toolset(args):
            yield toolset
        yield ChatMessage("system", tuple(read_parts(get_text(args, "content") or get_text(value, "message"))))
    elif action == "message":
        role = "assistant" if get_text(value, "source") == "agent" else "user"
        yield ChatMessage(role, tuple(read_parts(get_text(args, "content") or get_text(value, "message"))))
    elif action == _CONDENSATION:
        yield ChatMessage("user", tuple(read_parts(args.get("summary"))))
    elif action:
        yield _read_action(value)
    else:
        words = get_text(value, "content")
        yield ChatMessage("tool", (MessagePart("result", words),) if words else (), observation)


def _is_unsent(value: dict[str, JsonValue]) -> bool:
    action, observation = get_text(value, "action"), get_text(value, "observation")
    if action == _CONDENSATION:
        return not get_text(get_object(value, "args"), "summary")
    return (action or observation) in _UNSENT_EVENTS and not (observation == "recall" and get_text(value, "content"))


def _find_model_call(metadata: dict[str, JsonValue]) -> tuple[Place, dict[str, JsonValue], str]:
    """Return the place of the model's original call in the metadata, the call, and the text of its message."""
    for number_, choice in enumerate_blocks(get_object(metadata, "model_response").get("choices")):
        message = get_object(choice, "message")
        for at, call in enumerate_blocks(message.get("tool_calls")):
            if get_text(call, "id") == get_text(metadata, "tool_call_id"):
                place = ("model_response", "choices", number_, "message", "tool_calls", at)
                return place, get_object(call, "function"), get_text(message, "content")
    return (), {}, ""


def _read_action(value: dict[str, JsonValue]) -> ChatMessage:
    """Return an action as the model's call: as recorded, or built from its arguments."""
    metadata, args = get_object(value, "tool_call_metadata"), get_object(value, "args")
    name = get_text(metadata, "function_name") or get_text(value, "action")
    _, function, words = _find_model_call(metadata)
    if function:
        return ChatMessage(
            "assistant", (*read_parts(words), MessagePart("call", get_text(function, "arguments"), name))
        )
    arguments = {
        key: arguments for key, arguments in args.items() if key != "thought" and arguments not in (None, "", False)
    }
    return ChatMessage(
        "assistant", (*read_parts(get_text(args, "thought")), MessagePart("call", dump_value(arguments), name))
    )


def find_entry_list(document: JsonValue) -> Place | None:
    """Return the place of the events in a history; raise ValueError for a list of histories."""
    if isinstance(document, list):
        if any(isinstance(item, dict) and isinstance(item.get("history"), list) for item in document):
            raise ValueError("it contains several conversations")
        return ()
    if not isinstance(document, dict) or _has_source(document):
        return None
    key = next((key for key in _KEYS if isinstance(document.get(key), list)), None)
    return (key,) if key else None


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of an event; an observation is the result of its cause."""
    if is_event(value):
        return _read_sdk_content(value)
    action, args = get_text(value, "action"), get_object(value, "args")
    if _is_unsent(value):
        return RecordContent(kind="note")
    if action in ("system", "message"):
        role: Role = "system" if action == "system" else "assistant" if get_text(value, "source") == "agent" else "user"
        words = get_text(args, "content")
        passage = (
            RecordPassage(words, ("args", "content"))
            if words
            else RecordPassage(get_text(value, "message"), ("message",))
        )
        return RecordContent(role, passages=(passage,), receipt=_read_receipt(value))
    if action == _CONDENSATION:
        return RecordContent(
            "user", "summary", passages=(RecordPassage(get_text(args, "summary"), ("args", "summary")),)
        )
    if action:
        return RecordContent("assistant", calls=(_read_call(value),), receipt=_read_receipt(value))
    results = tuple(_read_results(value))
    passages = () if results else (RecordPassage(get_text(value, "content"), ("content",)),)
    return RecordContent("tool" if results else "user", results=results, passages=passages)


def _read_call(value: dict[str, JsonValue]) -> RecordCall:
    metadata = get_object(value, "tool_call_metadata")
    name = get_text(metadata, "function_name") or get_text(value, "action")
    place, function, _ = _find_model_call(metadata)
    call_id = get_text(metadata, "tool_call_id") or _read_number(value, "id")
    needs_no_result = get_text(value, "action") in _FINAL_ACTIONS
    if function:
        at = ("tool_call_metadata", *place, "function", "arguments")
        return RecordCall(
            call_id, name, parse_arguments(function.get("arguments")), at, needs_no_result=needs_no_result
        )
    return RecordCall(call_id, name, get_object(value, "args"), ("args",), needs_no_result=needs_no_result)


def _read_results(value: dict[str, JsonValue]) -> Iterator[RecordResult]:
    """Yield the result in an observation, unless no call of the model caused it."""
    if get_text(value, "observation") == "recall":
        return
    metadata, extras = get_object(value, "tool_call_metadata"), get_object(value, "extras")
    call_id = get_text(metadata, "tool_call_id") or _read_number(value, "cause")
    if call_id:
        status = extras.get("exit_code", get_object(extras, "metadata").get("exit_code", 0))
        failed = get_text(value, "observation") == "error" or status not in (0, -1, None)
        name = get_text(metadata, "function_name") or get_text(value, "observation")
        yield RecordResult(call_id, get_text(value, "content"), ("content",), name, failed)


def _read_number(value: dict[str, JsonValue], key: str) -> str:
    """Return the number of an event as an id."""
    number = value.get(key)
    return str(number) if isinstance(number, int) and not isinstance(number, bool) else get_text(value, key)


def _read_receipt(value: dict[str, JsonValue]) -> UsageReceipt | None:
    usage = get_object(get_object(get_object(value, "tool_call_metadata"), "model_response"), "usage")
    context = get_number(usage, "prompt_tokens")
    return UsageReceipt(context, get_number(usage, "completion_tokens")) if context else None


def make_result_value(result: RecordResult, words: str) -> JsonValue:
    """Return the content of an observation."""
    return _make_sdk_result_value(result, words)


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return an observation for a call."""
    if call.place[:1] in (("tool_call",), ("action",)):
        return _make_sdk_result(call, words)
    event = {"source": "environment", "message": words, "observation": "error", "content": words, "extras": {}}
    if call.id.isdigit():
        return {**event, "cause": int(call.id)}
    return {**event, "tool_call_metadata": {"function_name": call.name, "tool_call_id": call.id}}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary event."""
    del parent
    if is_event(neighbor):
        return (_make_message(words, role, key, neighbor),)
    system = role == "system"
    args = {"content": words} if system else {"content": words, "image_urls": None, "wait_for_response": False}
    source, action = ("agent", "system") if system else ("user", "message")
    return ({"source": source, "message": words, "action": action, "args": args},)


_SOURCES = ("user", "agent", "environment", "hook")
_SUMMARIES = ("Condensation", "CondensationSummaryEvent")
_OUTPUT_KEYS = {
    "ObservationEvent": "observation",
    "AgentErrorEvent": "error",
    "UserRejectObservation": "rejection_reason",
}
"""Kinds of events that answer a call, and the member that contains the result."""
_ROLES: dict[str, Role] = {"system": "system", "assistant": "assistant", "tool": "tool"}


def is_event(value: JsonValue) -> bool:
    """Return whether a value is an SDK event."""
    kind = get_text(value, "kind")
    known = kind.endswith("Event") or kind.startswith("Condensation") or kind in _OUTPUT_KEYS
    return known and get_text(value, "source") in _SOURCES


def _read_sdk_entries(value: dict[str, JsonValue]) -> Iterator[ChatEntry]:
    """Yield the messages that a model receives for an event."""
    kind, call_id = get_text(value, "kind"), get_text(value, "tool_call_id")
    if kind == "SystemPromptEvent":
        if toolset := read_toolset(value):
            yield toolset
        prompt = value.get("system_prompt")
        yield ChatMessage("system", tuple(read_parts(prompt)))
    elif kind == "MessageEvent":
        message = get_object(value, "llm_message")
        words = (*read_parts(message.get("content")), *read_parts(value.get("extended_content")))
        yield ChatMessage(_read_role(value), (*_read_thinking(value), *words))
    elif kind == "ActionEvent":
        call = MessagePart("call", dump_value(_find_arguments(value)[0]), get_text(value, "tool_name"))
        yield ChatMessage(
            "assistant", (*_read_thinking(value), *read_parts(value.get("thought")), call), calls=_list_ids(call_id)
        )
    elif kind in _OUTPUT_KEYS:
        content = _find_output(value, kind)[0]
        yield ChatMessage(
            "tool", tuple(read_parts(content, "result")), get_text(value, "tool_name"), answers=_list_ids(call_id)
        )
    elif kind in _SUMMARIES and (words_ := get_text(value, "summary")):
        yield ChatMessage("user", (MessagePart("text", words_),))


def _list_ids(call_id: str) -> tuple[str, ...]:
    return (call_id,) if call_id else ()


def _read_role(value: dict[str, JsonValue]) -> Role:
    """Return the role of a message; messages from the program have the role "user"."""
    role = get_text(get_object(value, "llm_message"), "role")
    return _ROLES.get(role, "user") if role else "assistant" if get_text(value, "source") == "agent" else "user"


def _read_thinking(value: dict[str, JsonValue]) -> Iterator[MessagePart]:
    blocks = get_objects(value, "thinking_blocks")
    yield from read_parts(blocks)
    if not blocks and (words := get_text(value, "reasoning_content")):
        yield MessagePart("thinking", words)


def _find_arguments(value: dict[str, JsonValue]) -> tuple[JsonValue, Place]:
    """Return the arguments of a call and their place: as written by the model, or as parsed by the program."""
    call = get_object(value, "tool_call")
    if "arguments" in call:
        return call["arguments"], ("tool_call", "arguments")
    return value.get("action"), ("action",)


def _find_output(value: dict[str, JsonValue], kind: str) -> tuple[JsonValue, Place]:
    """Return the result of a call and its place: the only text block of an observation, or its whole content."""
    key = _OUTPUT_KEYS[kind]
    output = value.get(key)
    if not isinstance(output, dict):
        return output, (key,)
    inner = "output" if "content" not in output and "output" in output else "content"
    content, place = output.get(inner), (key, inner)
    blocks = get_objects(content)
    if isinstance(content, list) and len(content) == 1 and blocks and isinstance(blocks[0].get("text"), str):
        return blocks, (*place, 0, "text")
    return content, place


def _read_sdk_content(value: dict[str, JsonValue]) -> RecordContent:
    """Return the role, calls, results and passages of an event."""
    kind, call_id, name = get_text(value, "kind"), get_text(value, "tool_call_id"), get_text(value, "tool_name")
    has_reasoning = bool(get_objects(value, "thinking_blocks"))
    if kind == "SystemPromptEvent":
        return RecordContent("system")
    if kind == "MessageEvent":
        words = tuple(find_passages(get_object(value, "llm_message").get("content"), ("llm_message", "content")))
        return RecordContent(_read_role(value), passages=words, has_reasoning=has_reasoning)
    if kind == "ActionEvent":
        arguments, place = _find_arguments(value)
        words = tuple(find_passages(value.get("thought"), ("thought",)))
        return RecordContent(
            "assistant",
            calls=(RecordCall(call_id, name, parse_arguments(arguments), place),),
            passages=words,
            has_reasoning=has_reasoning,
        )
    if kind in _OUTPUT_KEYS:
        content, place = _find_output(value, kind)
        failed = kind != "ObservationEvent" or _has_failed(get_object(value, "observation"))
        return RecordContent(
            "tool",
            results=(RecordResult(call_id, read_result_text(content), place, name, failed, is_plain_text(content)),),
        )
    if kind in _SUMMARIES and (summary := get_text(value, "summary")):
        return RecordContent("user", "summary", passages=(RecordPassage(summary, ("summary",)),))
    return RecordContent(kind="note")


def _has_failed(observation: dict[str, JsonValue]) -> bool:
    status = observation.get("exit_code", get_object(observation, "metadata").get("exit_code", 0))
    return observation.get("is_error") is True or status not in (0, -1, None)


def _make_sdk_result_value(result: RecordResult, words: str) -> JsonValue:
    """Return the text of a result, as content blocks if it replaces the whole content."""
    return [{"type": "text", "text": words}] if result.place == ("observation", "content") else words


def _make_sdk_result(call: RecordCall, words: str) -> dict[str, JsonValue]:
    """Return the error event of a call without a result."""
    event = {"kind": "AgentErrorEvent", "source": "agent", "error": words}
    return {**event, "tool_name": call.name, "tool_call_id": call.id}


def _make_message(words: str, role: str, key: str, neighbor: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a message event with the time of the next event."""
    time = {"timestamp": neighbor["timestamp"]} if "timestamp" in neighbor else {}
    body = {"role": role, "content": [{"type": "text", "text": words}]}
    return {"kind": "MessageEvent", "id": key[:32], **time, "source": "user", "llm_message": body}
