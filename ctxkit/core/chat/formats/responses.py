"""OpenAI Responses: a request with ``input``, an array of items, or one item a line."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat import items
from ctxkit.core.chat.blocks import parts_of, thinking
from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.linear import hung as hung
from ctxkit.core.chat.linear import identity as identity
from ctxkit.core.chat.linear import relinked as relinked
from ctxkit.core.chat.message import Entry, Message, Part, Start
from ctxkit.core.chat.record import Anatomy, Call, Place, Result
from ctxkit.core.chat.shape import dumped, mapping, text
from ctxkit.core.chat.tools import toolset
from ctxkit.core.chat.turn import is_turn, turn
from ctxkit.core.chat.units import passages_in

NAME, PROVIDER, LINEAR = "responses", "openai", True
RULES = Rules("any", loops=True, summary="system")
_OTHERS = ("message", "reasoning", *items.SEALED)


def claims(value: Any) -> bool:
    """Tell whether a value is a request with input, a list of items, or an item."""
    if isinstance(value, dict):
        given = value.get("input")
        asks = "model" in value or "instructions" in value
        words = asks and isinstance(given, str) and "messages" not in value
        return items.is_item(value) or (_are_items(given) and not text(value, "type")) or words
    return isinstance(value, list) and any(map(items.is_item, value)) and _are_items(value)


def _are_items(values: Any) -> bool:
    """Tell whether a list holds items or messages, and beside them at most items of a kind that is unknown."""
    if not isinstance(values, list) or not any(items.is_item(value) or is_turn(value) for value in values):
        return False
    return all(text(value, "type") or is_turn(value) for value in values)


def entries(value: Any) -> Iterator[Entry]:
    """Yield instructions, tools and items; raises ValueError where there is none."""
    if _is_request(value):
        yield Start()
        if found := toolset(value):
            yield found
        if words := text(value, "instructions"):
            yield Message("system", (Part("text", words),))
        given = value["input"]
        yield from entries(given) if isinstance(given, list) else [Message("user", tuple(parts_of(given)))]
    elif isinstance(value, list):
        for one in value:
            yield from entries(one)
    elif isinstance(value, dict) and (text(value, "type") or is_turn(value)):
        yield item(value)
    elif _is_header(value):
        if words := text(value, "instructions"):
            yield Message("system", (Part("text", words),))
    else:
        raise ValueError("no item: it has no type")


def _is_request(value: Any) -> bool:
    return isinstance(value, dict) and "input" in value and not text(value, "type")


def goes_on(values: Sequence[Any]) -> bool:
    """Tell whether a request, or a list of items, goes on from what the provider keeps: calls may be there."""
    return any(
        text(value, "previous_response_id")
        or text(value, "conversation")
        or mapping(value, "conversation")
        or text(value, "type") == "item_reference"
        for value in values
    )


def _is_header(value: Any) -> bool:
    """Tell whether a line belongs to the log that items stand in, as in the first rollouts of Codex."""
    if not isinstance(value, dict) or "type" in value:
        return False
    return "record_type" in value or ("id" in value and "timestamp" in value)


def item(value: dict[str, Any]) -> Message:
    """Return an item as a message of one part or more."""
    kind, call = text(value, "type"), text(value, "call_id")
    if items.is_output(kind):
        output = value.get("output", value.get("tools"))
        parts = parts_of(output, "result") if kind != "tool_search_output" else [Part("result", dumped(output))]
        return Message("tool", tuple(parts), answers=_ids(call))
    if kind.endswith("_call"):
        given = next((value[key] for key in items.GIVEN if key in value), None)
        return Message("assistant", (Part("call", dumped(given), text(value, "name") or kind),), calls=_ids(call))
    if kind == "reasoning" or (kind not in _OTHERS and text(value, "encrypted_content")):
        return Message("assistant", tuple(thinking(value)))
    if kind in ("compaction", "compaction_summary"):
        return Message("assistant", (Part("other", sealed=len(text(value, "encrypted_content"))),))
    if is_turn(value, named=False):
        return turn(value)
    rest = {key: held for key, held in value.items() if key not in ("id", "type", "status")}
    return Message("assistant", (Part("other", dumped(rest)),)) if rest else Message("assistant", ())


def _ids(call: str) -> tuple[str, ...]:
    return (call,) if call else ()


def where(document: Any) -> Place | None:
    """Return where the items of a request stand, None for an item, or a request whose input is text."""
    if isinstance(document, list):
        return ()
    return ("input",) if _is_request(document) and isinstance(document["input"], list) else None


def anatomy(value: Any) -> Anatomy:
    """Return what an item says, calls and answers; a request whose input is text is what its user says."""
    if _is_request(value):
        return Anatomy("user", passages=tuple(passages_in(value["input"], ("input",))))
    if _is_header(value):
        return Anatomy("system" if text(value, "instructions") else "", "note" if "record_type" in value else "head")
    return items.anatomy(value)


def returned(result: Result, words: str) -> Any:
    """Return what stands at the place of an output: words are an output of every kind that may be changed."""
    del result
    return words


def answer(call: Call, words: str) -> Any:
    """Return the item that answers a call."""
    return items.answer(call, words)


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return nothing: each output is an item."""
    del answers
    return None


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the message that holds a summary."""
    del key, parent, near
    return (items.message(words, role),)
