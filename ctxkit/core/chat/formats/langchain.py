"""LangChain: messages as it dumps them, flat, under ``data``, or as the ``kwargs`` of a constructor."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.formats.openai import returned as returned
from ctxkit.core.chat.linear import hung as hung
from ctxkit.core.chat.linear import identity as identity
from ctxkit.core.chat.linear import relinked as relinked
from ctxkit.core.chat.message import Entry, Start
from ctxkit.core.chat.record import Anatomy, Call, Place
from ctxkit.core.chat.shape import mapping, objects, text
from ctxkit.core.chat.turn import turn
from ctxkit.core.chat.units import within

NAME, PROVIDER, LINEAR = "langchain", "", True
RULES = Rules("near")
_SPEAKERS = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"}
"""What types of messages are called elsewhere."""
_TYPES = {role: kind for kind, role in _SPEAKERS.items()} | {"developer": "system"}
_KEYS = ("kwargs", "data")
_SUFFIXES = ("MessageChunk", "Message")


def _kind(value: Any) -> str:
    """Return the type of a message, empty where a value is none: the name of its class may stand for it."""
    named = text(value, "type")
    if named == "constructor" and mapping(value, "kwargs"):
        path = value.get("id")
        named = path[-1] if isinstance(path, list) and path and isinstance(path[-1], str) else ""
    elif not (mapping(value, "data") or "content" in value if isinstance(value, dict) else False):
        return ""
    named = next((named.removesuffix(end) for end in _SUFFIXES if named.endswith(end)), named).lower()
    return named if named in _SPEAKERS else ""


def _key(value: Any) -> str:
    """Return the member that holds those of a message, empty where they stand beside its type."""
    return next((key for key in _KEYS if mapping(value, key)), "")


def _place(value: Any) -> Place:
    return (key,) if (key := _key(value)) else ()


def _turn(value: Any) -> dict[str, Any]:
    """Return a message as OpenAI writes it."""
    body: dict[str, Any] = value[_key(value)] if _key(value) else value
    calls = body.get("tool_calls")
    return {**body, "role": _SPEAKERS[_kind(value)], "tool_calls": calls if isinstance(calls, list) else []}


def claims(value: Any) -> bool:
    """Tell whether a value is a state with messages, a list of them, or a message."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = value["messages"]
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(map(_kind, values))


def entries(value: Any) -> Iterator[Entry]:
    """Yield messages; raises ValueError where there is none."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        yield Start()
        value = objects(value, "messages")
    for one in value if isinstance(value, list) else [value]:
        if not _kind(one):
            raise ValueError("no message: it has no type that there is")
        yield turn(_turn(one))


def where(document: Any) -> Place | None:
    """Return where the messages of a state stand."""
    if isinstance(document, list):
        return ()
    return ("messages",) if isinstance(document, dict) and isinstance(document.get("messages"), list) else None


def anatomy(value: Any) -> Anatomy:
    """Return what a message says, calls and answers."""
    return within(openai.anatomy(_turn(value)), _place(value))


def answer(call: Call, words: str) -> Any:
    """Return the message that answers a call, as flat or deep as the one that the call stands in."""
    outer = next((key for key in _KEYS if call.place[:1] == (key,)), "")
    return _made(outer, "tool", {"content": words, "tool_call_id": call.id, "name": call.name, "status": "error"})


def _made(outer: str, kind: str, body: dict[str, Any]) -> dict[str, Any]:
    if outer == "kwargs":
        path = ["langchain", "schema", "messages", {"ai": "AI"}.get(kind, kind.title()) + "Message"]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": {**body, "type": kind}}
    return {"type": kind, "data": {**body, "type": kind}} if outer else {**body, "type": kind}


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return nothing: each result is a message."""
    del answers
    return None


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the message that holds a summary."""
    del key, parent
    return (_made(_key(near), _TYPES.get(role, "human"), {"content": words}),)
