"""Trajectories of OpenHands: events, each an action of the agent or what was observed after it."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.message import Entry, Message, Part, Start
from ctxkit.core.chat.shape import dumped, mapping, objects, text
from ctxkit.core.chat.tools import toolset

NAME, PROVIDER, LINEAR = "openhands", "", True
_UNSEEN = ("agent_state_changed", "null", "change_agent_state", "recall")
"""Events between the parts of the program, which no model reads; what was recalled is observed."""


def _is_event(value: Any) -> bool:
    acts = isinstance(value.get("action"), str) and isinstance(value.get("args"), dict) if _sourced(value) else False
    return acts or (_sourced(value) and isinstance(value.get("observation"), str))


def _sourced(value: Any) -> bool:
    return text(value, "source") in ("user", "agent", "environment")


def claims(value: Any) -> bool:
    """Tell whether a value is a list of events, has one as its history, or is an event."""
    events = value if isinstance(value, list) else objects(value, "history") or [value]
    return bool(events) and all(map(_is_event, events[:3]))


def entries(value: Any) -> Iterator[Entry]:
    """Yield what the model said and read in each event; raises ValueError where there is none."""
    if isinstance(value, dict) and not _sourced(value):
        yield Start()
    events = value if isinstance(value, list) else objects(value, "history") or [value]
    for event in events:
        if not isinstance(event, dict) or not _sourced(event):
            raise ValueError("no event: it has no source")
        yield from _event(event)


def _event(value: dict[str, Any]) -> Iterator[Entry]:
    action, seen, args = text(value, "action"), text(value, "observation"), mapping(value, "args")
    if (action or seen) in _UNSEEN and not (seen == "recall" and text(value, "content")):
        return
    if action == "system":
        if found := toolset(args):
            yield found
        yield Message("system", tuple(parts_of(text(args, "content") or text(value, "message"))))
    elif action == "message":
        role = "assistant" if text(value, "source") == "agent" else "user"
        yield Message(role, tuple(parts_of(text(args, "content") or text(value, "message"))))
    elif action:
        yield _acted(action, args, mapping(value, "tool_call_metadata"))
    elif words := text(value, "content"):
        yield Message("tool", (Part("result", words),), seen)


def _acted(action: str, args: dict[str, Any], metadata: dict[str, Any]) -> Message:
    """Return an action as the call that the model made: as it was recorded, else of its arguments."""
    name = text(metadata, "function_name") or action
    choices = objects(mapping(metadata, "model_response"), "choices")
    for choice in choices:
        for call in objects(mapping(choice, "message"), "tool_calls"):
            function = mapping(call, "function")
            if text(call, "id") == text(metadata, "tool_call_id"):
                said = text(mapping(choice, "message"), "content")
                return Message("assistant", (*parts_of(said), Part("call", text(function, "arguments"), name)))
    given = {key: held for key, held in args.items() if key != "thought" and held not in (None, "", False)}
    return Message("assistant", (*parts_of(text(args, "thought")), Part("call", dumped(given), name)))
