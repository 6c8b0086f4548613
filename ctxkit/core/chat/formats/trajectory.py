"""Trajectories of SWE-agent, and of others that keep their messages under ``history``."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.formats.openai import carrier as carrier
from ctxkit.core.chat.formats.openai import returned as returned
from ctxkit.core.chat.linear import hung as hung
from ctxkit.core.chat.linear import identity as identity
from ctxkit.core.chat.linear import relinked as relinked
from ctxkit.core.chat.message import Entry, Message, Part, Start
from ctxkit.core.chat.record import Anatomy, Call, Place
from ctxkit.core.chat.shape import objects, text
from ctxkit.core.chat.turn import are_turns, is_turn, turn

NAME, PROVIDER, LINEAR = "swe-agent", "", True
RULES = Rules("near")
_IDS = "tool_call_ids"
_SHARED = ("agent",)
"""Members that every message of a history has alike."""


def claims(value: Any) -> bool:
    """Tell whether a value has a history of messages, whatever their roles are called."""
    return isinstance(value, dict) and are_turns(value.get("history"), named=False)


def entries(value: Any) -> Iterator[Entry]:
    """Yield the messages of a history, or the message that a value is; raises ValueError where there is none."""
    if is_turn(value, named=False) and "history" not in value:
        yield _turn(value)
        return
    if not isinstance(value, dict) or not (claims(value) or value.get("history") == []):
        raise ValueError("no trajectory: it has no history of messages")
    yield Start()
    history = objects(value, "history")
    if (words := text(value, "system_prompt")) and not (history and text(history[0], "role") == "system"):
        yield Message("system", (Part("text", words),))
    yield from map(_turn, history)


def _turn(value: dict[str, Any]) -> Message:
    found = turn(value)
    return found._replace(answers=_ids(value)) if not found.answers and found.role == "tool" else found


def _ids(value: dict[str, Any]) -> tuple[str, ...]:
    held = value.get(_IDS)
    return tuple(one for one in held if isinstance(one, str)) if isinstance(held, list) else ()


def where(document: Any) -> Place | None:
    """Return where the messages of a trajectory stand."""
    return ("history",) if isinstance(document, dict) and isinstance(document.get("history"), list) else None


def anatomy(value: Any) -> Anatomy:
    """Return what a message says, calls and answers; SWE-agent names in a list which calls it answers."""
    found = openai.anatomy(value)
    role = text(value, "role")
    if role not in openai.SPEAKERS:
        return found._replace(role="assistant")
    ids = _ids(value)
    if len(ids) == 1 and len(found.results) == 1 and not found.results[0].id:
        return found._replace(results=(found.results[0]._replace(id=ids[0]),))
    return found


def answer(call: Call, words: str) -> Any:
    """Return the message that answers a call."""
    made: dict[str, Any] = openai.answer(call, words)
    return {**made, _IDS: [call.id]} if call.id else made


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the message that holds a summary."""
    del key, parent
    shared = {name: near[name] for name in _SHARED if text(near, name)}
    return ({"role": role, "content": words, **shared},)
