"""Events of the agents that OpenHands builds from its SDK: each says its kind, calls and results have ids."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.message import Entry, Message, Part
from ctxkit.core.chat.record import Anatomy, Call, Passage, Place, Result, Role
from ctxkit.core.chat.shape import dumped, mapping, objects, text
from ctxkit.core.chat.tools import toolset
from ctxkit.core.chat.units import given, passages_in, plain, said

_SOURCES = ("user", "agent", "environment", "hook")
_SUMMARIES = ("Condensation", "CondensationSummaryEvent")
_ANSWERS = {"ObservationEvent": "observation", "AgentErrorEvent": "error", "UserRejectObservation": "rejection_reason"}
"""Kinds of events that answer a call, and the member that says what came of it."""
_ROLES: dict[str, Role] = {"system": "system", "assistant": "assistant", "tool": "tool"}


def is_event(value: Any) -> bool:
    """Tell whether a value is an event of the SDK."""
    kind = text(value, "kind")
    known = kind.endswith("Event") or kind.startswith("Condensation") or kind in _ANSWERS
    return known and text(value, "source") in _SOURCES


def entries(value: dict[str, Any]) -> Iterator[Entry]:
    """Yield what a model reads of an event."""
    kind, known = text(value, "kind"), text(value, "tool_call_id")
    if kind == "SystemPromptEvent":
        if found := toolset(value):
            yield found
        prompt = value.get("system_prompt")
        yield Message("system", tuple(parts_of(prompt)))
    elif kind == "MessageEvent":
        held = mapping(value, "llm_message")
        words = (*parts_of(held.get("content")), *parts_of(value.get("extended_content")))
        yield Message(_role(value), (*_thoughts(value), *words))
    elif kind == "ActionEvent":
        call = Part("call", dumped(_given(value)[0]), text(value, "tool_name"))
        yield Message("assistant", (*_thoughts(value), *parts_of(value.get("thought")), call), calls=_ids(known))
    elif kind in _ANSWERS:
        content = _content(value, kind)[0]
        yield Message("tool", tuple(parts_of(content, "result")), text(value, "tool_name"), answers=_ids(known))
    elif kind in _SUMMARIES and (words_ := text(value, "summary")):
        yield Message("user", (Part("text", words_),))


def _ids(known: str) -> tuple[str, ...]:
    return (known,) if known else ()


def _role(value: dict[str, Any]) -> Role:
    """Return who speaks in a message: what the program says to the model, it says as the user."""
    named = text(mapping(value, "llm_message"), "role")
    return _ROLES.get(named, "user") if named else "assistant" if text(value, "source") == "agent" else "user"


def _thoughts(value: dict[str, Any]) -> Iterator[Part]:
    blocks = objects(value, "thinking_blocks")
    yield from parts_of(blocks)
    if not blocks and (words := text(value, "reasoning_content")):
        yield Part("thinking", words)


def _given(value: dict[str, Any]) -> tuple[Any, Place]:
    """Return what a call is given, and where that stands: as the model wrote it, else as the program took it."""
    call = mapping(value, "tool_call")
    if "arguments" in call:
        return call["arguments"], ("tool_call", "arguments")
    return value.get("action"), ("action",)


def _content(value: dict[str, Any], kind: str) -> tuple[Any, Place]:
    """Return what came of a call, and where it stands: the only words of an observation, or all of its content."""
    key = _ANSWERS[kind]
    held = value.get(key)
    if not isinstance(held, dict):
        return held, (key,)
    inner = "output" if "content" not in held and "output" in held else "content"
    content, place = held.get(inner), (key, inner)
    blocks = objects(content)
    if isinstance(content, list) and len(content) == 1 and blocks and isinstance(blocks[0].get("text"), str):
        return blocks, (*place, 0, "text")
    return content, place


def anatomy(value: dict[str, Any]) -> Anatomy:
    """Return what an event says, calls and answers."""
    kind, known, name = text(value, "kind"), text(value, "tool_call_id"), text(value, "tool_name")
    thinks = bool(objects(value, "thinking_blocks"))
    if kind == "SystemPromptEvent":
        return Anatomy("system")
    if kind == "MessageEvent":
        words = tuple(passages_in(mapping(value, "llm_message").get("content"), ("llm_message", "content")))
        return Anatomy(_role(value), passages=words, thinks=thinks)
    if kind == "ActionEvent":
        arguments, place = _given(value)
        words = tuple(passages_in(value.get("thought"), ("thought",)))
        return Anatomy("assistant", calls=(Call(known, name, given(arguments), place),), passages=words, thinks=thinks)
    if kind in _ANSWERS:
        content, place = _content(value, kind)
        failed = kind != "ObservationEvent" or _failed(mapping(value, "observation"))
        return Anatomy("tool", results=(Result(known, said(content), place, name, failed, plain(content)),))
    if kind in _SUMMARIES and (summary := text(value, "summary")):
        return Anatomy("user", "summary", passages=(Passage(summary, ("summary",)),))
    return Anatomy(kind="note")


def _failed(observation: dict[str, Any]) -> bool:
    status = observation.get("exit_code", mapping(observation, "metadata").get("exit_code", 0))
    return observation.get("is_error") is True or status not in (0, -1, None)


def returned(result: Result, words: str) -> Any:
    """Return the words of a result, as content where they take the place of all of it."""
    return [{"type": "text", "text": words}] if result.place == ("observation", "content") else words


def answer(call: Call, words: str) -> dict[str, Any]:
    """Return the event that says that a call came to nothing."""
    made = {"kind": "AgentErrorEvent", "source": "agent", "error": words}
    return {**made, "tool_name": call.name, "tool_call_id": call.id}


def message(words: str, role: str, key: str, near: dict[str, Any]) -> dict[str, Any]:
    """Return an event in which somebody speaks, at the time of the one before which it will stand."""
    time = {"timestamp": near["timestamp"]} if "timestamp" in near else {}
    held = {"role": role, "content": [{"type": "text", "text": words}]}
    return {"kind": "MessageEvent", "id": key[:32], **time, "source": "user", "llm_message": held}
