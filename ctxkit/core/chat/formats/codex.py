"""The rollouts that Codex CLI keeps: items of the Responses API, one a line, among events."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat import items
from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.formats import responses
from ctxkit.core.chat.formats.responses import carrier as carrier
from ctxkit.core.chat.formats.responses import returned as returned
from ctxkit.core.chat.linear import identity as identity
from ctxkit.core.chat.linear import relinked as relinked
from ctxkit.core.chat.message import Entry, Message, Part, Rewind
from ctxkit.core.chat.record import Anatomy, Call, Passage, Place, Receipt
from ctxkit.core.chat.shape import mapping, number, objects, text
from ctxkit.core.chat.units import numbered

NAME, PROVIDER, LINEAR = "codex", "openai", False
RULES = Rules("any", loops=True, summary="user")
TIME = "1970-01-01T00:00:00.000Z"
"""The time of a line that is made where there is no other: a line must have one."""
_SNAPSHOT = "ghost_snapshot"
"""An item that Codex keeps for itself: which commit its undo returns to."""
_HISTORY = ("payload", "replacement_history")
_TYPES = ("session_meta", "response_item", "compacted", "turn_context", "event_msg")


def claims(value: Any) -> bool:
    """Tell whether a value is a line of a rollout."""
    return text(value, "type") in _TYPES and isinstance(value.get("payload"), dict)


def entries(value: Any) -> Iterator[Entry]:
    """Yield what a line adds to the history, or takes from it; raises ValueError when it is no object.

    A compaction replaces everything before it; events repeat what items say, but for a rollback.
    """
    if not isinstance(value, dict):
        raise ValueError("no entry of a rollout")
    kind, payload = text(value, "type"), mapping(value, "payload")
    if kind == "response_item":
        if text(payload, "type") != _SNAPSHOT:
            yield responses.item(payload)
    elif kind == "session_meta":
        yield from _instructions(payload)
    elif kind == "compacted":
        yield Rewind()
        history = [one for one in objects(payload, _HISTORY[1]) if text(one, "type") != _SNAPSHOT]
        yield from map(responses.item, history)
        if not history and (words := text(payload, "message")):
            yield Message("user", (Part("text", words),))
    elif text(payload, "type") == "thread_rolled_back":
        turns = payload.get("num_turns")
        yield Rewind(turns if isinstance(turns, int) else 1)


def _instructions(payload: dict[str, Any]) -> Iterator[Entry]:
    words = text(mapping(payload, "base_instructions"), "text") or text(payload, "instructions")
    if words:
        yield Message("system", (Part("text", words),))


def where(document: Any) -> Place | None:
    """Return None: a rollout has one entry a line."""
    del document
    return None


def anatomy(value: Any) -> Anatomy:
    """Return what a line says, calls and answers: of a compaction all that it put in the place of what was before."""
    kind, payload = text(value, "type"), mapping(value, "payload")
    if kind == "response_item" and text(payload, "type") != _SNAPSHOT:
        return _within(items.anatomy(payload), ("payload",))
    if kind == "session_meta":
        return Anatomy("system" if any(_instructions(payload)) else "", "head")
    if kind == "compacted":
        return _compacted(payload)
    return Anatomy(kind="note", receipt=_receipt(payload))


def _within(found: Anatomy, place: Place, unit: Place = ()) -> Anatomy:
    """Return the anatomy of an item as that of the line which holds it at ``place``."""
    return found._replace(
        calls=tuple(one._replace(place=(*place, *one.place) if one.place else (), unit=unit) for one in found.calls),
        results=tuple(one._replace(place=(*place, *one.place), unit=unit) for one in found.results),
        passages=tuple(Passage(one.text, (*place, *one.place)) for one in found.passages),
    )


def _compacted(payload: dict[str, Any]) -> Anatomy:
    places = [((*_HISTORY, at), item) for at, item in numbered(payload.get(_HISTORY[1]))]
    held = [_within(items.anatomy(item), place, place) for place, item in places if text(item, "type") != _SNAPSHOT]
    if not held:
        words = text(payload, "message")
        return Anatomy("user", "summary", passages=(Passage(words, ("payload", "message")),) if words else ())
    return Anatomy(
        *("user", "summary"),
        tuple(call for one in held for call in one.calls),
        tuple(result for one in held for result in one.results),
        tuple(passage for one in held for passage in one.passages),
        any(one.sealed for one in held),
    )


def _receipt(payload: dict[str, Any]) -> Receipt | None:
    """Return what the last request took: what was read from a cache is counted in its input."""
    last = mapping(mapping(payload, "info"), "last_token_usage")
    context = number(last, "input_tokens")
    return Receipt(context, number(last, "output_tokens")) if context else None


def answer(call: Call, words: str) -> Any:
    """Return the line that answers a call; Codex answers its local shell as it does a function."""
    if call.name == "local_shell_call":
        return _line({"type": "function_call_output", "call_id": call.id, "output": words}, None)
    return _line(items.answer(call._replace(place=call.place[1:]), words), None)


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the line that holds a summary: a message, as what was kept before it must stay."""
    del key, parent
    return (_line(items.message(words, role), near),)


def hung(value: Any, key: str, parent: str | None, near: Any) -> Any:
    """Return a line with the time of the one before which it will stand."""
    del key, parent
    return _line(mapping(value, "payload"), near)


def _line(payload: dict[str, Any], near: Any) -> dict[str, Any]:
    return {"timestamp": text(near, "timestamp") or TIME, "type": "response_item", "payload": payload}
