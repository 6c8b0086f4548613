"""OpenHands SDK events: each has a kind, and calls and results have ids."""

from collections.abc import Iterator

from ctxkit.core.chat.model.blocks import read_parts
from ctxkit.core.chat.model.calls_and_results import (
    find_passages,
    is_plain_text,
    parse_arguments,
    read_result_text,
    read_toolset,
)
from ctxkit.core.chat.model.json_fields import dump_value, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    MessagePart,
    Place,
    RecordCall,
    RecordContent,
    RecordPassage,
    RecordResult,
    Role,
)
from ctxkit.core.text.json_value import JsonValue

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


def read_entries(value: dict[str, JsonValue]) -> Iterator[ChatEntry]:
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


def read_content(value: dict[str, JsonValue]) -> RecordContent:
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


def make_result_value(result: RecordResult, words: str) -> JsonValue:
    """Return the text of a result, as content blocks if it replaces the whole content."""
    return [{"type": "text", "text": words}] if result.place == ("observation", "content") else words


def make_result(call: RecordCall, words: str) -> dict[str, JsonValue]:
    """Return the error event of a call without a result."""
    event = {"kind": "AgentErrorEvent", "source": "agent", "error": words}
    return {**event, "tool_name": call.name, "tool_call_id": call.id}


def make_message(words: str, role: str, key: str, neighbor: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a message event with the time of the next event."""
    time = {"timestamp": neighbor["timestamp"]} if "timestamp" in neighbor else {}
    body = {"role": role, "content": [{"type": "text", "text": words}]}
    return {"kind": "MessageEvent", "id": key[:32], **time, "source": "user", "llm_message": body}
