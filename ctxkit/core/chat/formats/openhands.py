"""Trajectories of OpenHands: events, each an action of the agent or what was observed after it."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat import openhands_sdk
from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.linear import hung as hung
from ctxkit.core.chat.linear import identity as identity
from ctxkit.core.chat.linear import relinked as relinked
from ctxkit.core.chat.message import Entry, Message, Part, Start
from ctxkit.core.chat.record import Anatomy, Call, Passage, Place, Receipt, Result, Role
from ctxkit.core.chat.shape import dumped, mapping, number, objects, text
from ctxkit.core.chat.tools import toolset
from ctxkit.core.chat.units import given, numbered

NAME, PROVIDER, LINEAR = "openhands", "", True
RULES = Rules("any", loops=True, summary="user")
_UNSEEN = ("agent_state_changed", "null", "change_agent_state", "recall", "condensation_request", "loop_recovery")
"""Events between the parts of the program, which no model reads; what was recalled is observed."""
_KEYS = ("history", "events")
_LAST = ("finish", "reject")
"""Actions after which nothing is observed."""
_CONDENSED = "condensation"


def _is_event(value: Any) -> bool:
    if openhands_sdk.is_event(value):
        return True
    acts = isinstance(value.get("action"), str) and isinstance(value.get("args"), dict) if _sourced(value) else False
    return acts or (_sourced(value) and isinstance(value.get("observation"), str))


def _sourced(value: Any) -> bool:
    return text(value, "source") in ("user", "agent", "environment")


def _events(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return next((found for key in _KEYS if (found := objects(value, key))), [value])


def claims(value: Any) -> bool:
    """Tell whether a value is a list of events, has one as its history, or is an event."""
    events = _events(value)
    return bool(events) and all(map(_is_event, events[:3]))


def entries(value: Any) -> Iterator[Entry]:
    """Yield what the model said and read in each event; raises ValueError where there is none."""
    if isinstance(value, dict) and not _sourced(value) and not openhands_sdk.is_event(value):
        yield Start()
    events = _events(value)
    for event in events:
        if openhands_sdk.is_event(event):
            yield from openhands_sdk.entries(event)
        elif not isinstance(event, dict) or not _sourced(event):
            raise ValueError("no event: it has no source")
        else:
            yield from _event(event)


def _event(value: dict[str, Any]) -> Iterator[Entry]:
    action, seen, args = text(value, "action"), text(value, "observation"), mapping(value, "args")
    if _is_unseen(value):
        return
    if action == "system":
        if found := toolset(args):
            yield found
        yield Message("system", tuple(parts_of(text(args, "content") or text(value, "message"))))
    elif action == "message":
        role = "assistant" if text(value, "source") == "agent" else "user"
        yield Message(role, tuple(parts_of(text(args, "content") or text(value, "message"))))
    elif action == _CONDENSED:
        yield Message("user", tuple(parts_of(args.get("summary"))))
    elif action:
        yield _acted(value)
    else:
        words = text(value, "content")
        yield Message("tool", (Part("result", words),) if words else (), seen)


def _is_unseen(value: dict[str, Any]) -> bool:
    action, seen = text(value, "action"), text(value, "observation")
    if action == _CONDENSED:
        return not text(mapping(value, "args"), "summary")
    return (action or seen) in _UNSEEN and not (seen == "recall" and text(value, "content"))


def _asked(metadata: dict[str, Any]) -> tuple[Place, dict[str, Any], str]:
    """Return the call behind an event as its model made it, where in the metadata that stands, and what was said."""
    for number_, choice in numbered(mapping(metadata, "model_response").get("choices")):
        message = mapping(choice, "message")
        for at, call in numbered(message.get("tool_calls")):
            if text(call, "id") == text(metadata, "tool_call_id"):
                place = ("model_response", "choices", number_, "message", "tool_calls", at)
                return place, mapping(call, "function"), text(message, "content")
    return (), {}, ""


def _acted(value: dict[str, Any]) -> Message:
    """Return an action as the call that the model made: as it was recorded, else of its arguments."""
    metadata, args = mapping(value, "tool_call_metadata"), mapping(value, "args")
    name = text(metadata, "function_name") or text(value, "action")
    _, function, said = _asked(metadata)
    if function:
        return Message("assistant", (*parts_of(said), Part("call", text(function, "arguments"), name)))
    held = {key: held for key, held in args.items() if key != "thought" and held not in (None, "", False)}
    return Message("assistant", (*parts_of(text(args, "thought")), Part("call", dumped(held), name)))


def where(document: Any) -> Place | None:
    """Return where the events of a history stand; raises ValueError for a list of histories."""
    if isinstance(document, list):
        if any(isinstance(one, dict) and isinstance(one.get("history"), list) for one in document):
            raise ValueError("it holds several conversations")
        return ()
    if not isinstance(document, dict) or _sourced(document):
        return None
    key = next((key for key in _KEYS if isinstance(document.get(key), list)), None)
    return (key,) if key else None


def anatomy(value: Any) -> Anatomy:
    """Return what an event says, calls and answers: what is observed answers the action that caused it."""
    if openhands_sdk.is_event(value):
        return openhands_sdk.anatomy(value)
    action, args = text(value, "action"), mapping(value, "args")
    if _is_unseen(value):
        return Anatomy(kind="note")
    if action in ("system", "message"):
        role: Role = "system" if action == "system" else "assistant" if text(value, "source") == "agent" else "user"
        words = text(args, "content")
        said = Passage(words, ("args", "content")) if words else Passage(text(value, "message"), ("message",))
        return Anatomy(role, passages=(said,), receipt=_receipt(value))
    if action == _CONDENSED:
        return Anatomy("user", "summary", passages=(Passage(text(args, "summary"), ("args", "summary")),))
    if action:
        return Anatomy("assistant", calls=(_call(value),), receipt=_receipt(value))
    results = tuple(_results(value))
    passages = () if results else (Passage(text(value, "content"), ("content",)),)
    return Anatomy("tool" if results else "user", results=results, passages=passages)


def _call(value: dict[str, Any]) -> Call:
    metadata = mapping(value, "tool_call_metadata")
    name = text(metadata, "function_name") or text(value, "action")
    place, function, _ = _asked(metadata)
    known = text(metadata, "tool_call_id") or _number(value, "id")
    settled = text(value, "action") in _LAST
    if function:
        at = ("tool_call_metadata", *place, "function", "arguments")
        return Call(known, name, given(function.get("arguments")), at, settled=settled)
    return Call(known, name, mapping(value, "args"), ("args",), settled=settled)


def _results(value: dict[str, Any]) -> Iterator[Result]:
    """Yield what was observed, unless nothing that the model did caused it."""
    if text(value, "observation") == "recall":
        return
    metadata, extras = mapping(value, "tool_call_metadata"), mapping(value, "extras")
    known = text(metadata, "tool_call_id") or _number(value, "cause")
    if known:
        status = extras.get("exit_code", mapping(extras, "metadata").get("exit_code", 0))
        failed = text(value, "observation") == "error" or status not in (0, -1, None)
        name = text(metadata, "function_name") or text(value, "observation")
        yield Result(known, text(value, "content"), ("content",), name, failed)


def _number(value: dict[str, Any], key: str) -> str:
    """Return the number of an event as an id."""
    held = value.get(key)
    return str(held) if isinstance(held, int) and not isinstance(held, bool) else text(value, key)


def _receipt(value: dict[str, Any]) -> Receipt | None:
    used = mapping(mapping(mapping(value, "tool_call_metadata"), "model_response"), "usage")
    context = number(used, "prompt_tokens")
    return Receipt(context, number(used, "completion_tokens")) if context else None


def returned(result: Result, words: str) -> Any:
    """Return the content of an observation."""
    return openhands_sdk.returned(result, words)


def answer(call: Call, words: str) -> Any:
    """Return an observation that a call caused."""
    if call.place[:1] in (("tool_call",), ("action",)):
        return openhands_sdk.answer(call, words)
    made = {"source": "environment", "message": words, "observation": "error", "content": words, "extras": {}}
    if call.id.isdigit():
        return {**made, "cause": int(call.id)}
    return {**made, "tool_call_metadata": {"function_name": call.name, "tool_call_id": call.id}}


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return nothing: each observation is an event."""
    del answers
    return None


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the event that holds a summary."""
    del parent
    if openhands_sdk.is_event(near):
        return (openhands_sdk.message(words, role, key, near),)
    system = role == "system"
    args = {"content": words} if system else {"content": words, "image_urls": None, "wait_for_response": False}
    source, action = ("agent", "system") if system else ("user", "message")
    return ({"source": source, "message": words, "action": action, "args": args},)
