"""OpenAI Chat Completions: a request, an array of messages, or one message a line; most others write the same."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.linear import hung as hung
from ctxkit.core.chat.linear import identity as identity
from ctxkit.core.chat.linear import relinked as relinked
from ctxkit.core.chat.message import Entry, Message, Part, Start
from ctxkit.core.chat.record import Anatomy, Call, Place, Receipt, Result, Role
from ctxkit.core.chat.shape import mapping, number, objects, text
from ctxkit.core.chat.tools import toolset
from ctxkit.core.chat.turn import IDS, are_turns, is_turn, turn
from ctxkit.core.chat.units import calls_in, given, passages_in, plain, results_in, said

NAME, PROVIDER, LINEAR = "openai", "openai", True
RULES = Rules("near")
SPEAKERS: dict[str, Role] = {
    "system": "system", "developer": "system", "user": "user", "human": "user", "assistant": "assistant",
    "ai": "assistant", "model": "assistant", "tool": "tool", "function": "tool", "ipython": "tool",
    "toolResult": "tool", "tool_result": "tool",
}
"""What roles are called, here and elsewhere."""


def claims(value: Any) -> bool:
    """Tell whether a value is a request, a list of messages, or a message."""
    if isinstance(value, dict):
        return are_turns(value.get("messages")) or is_turn(value)
    return are_turns(value)


def entries(value: Any) -> Iterator[Entry]:
    """Yield tools and messages; raises ValueError where there is none.

    A line may hold a whole conversation, as in files for fine-tuning: each is one of its own.
    """
    if isinstance(value, list):
        for item in value:
            yield from _one(item)
    elif isinstance(value, dict) and "messages" in value:
        yield Start()
        if found := toolset(value):
            yield found
        if words := text(value, "system_prompt"):
            yield Message("system", (Part("text", words),))
        yield from map(turn, objects(value, "messages"))
    else:
        yield from _one(value)


def _one(value: Any) -> Iterator[Entry]:
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        raise ValueError("no message: it has no role")
    yield turn(value)


def where(document: Any) -> Place | None:
    """Return where the messages of a request stand; raises ValueError for a list of requests."""
    if isinstance(document, list):
        if any(isinstance(item, dict) and isinstance(item.get("messages"), list) for item in document):
            raise ValueError("it holds several conversations")
        return ()
    return ("messages",) if isinstance(document, dict) and isinstance(document.get("messages"), list) else None


def anatomy(value: Any) -> Anatomy:
    """Return what a message says, calls and answers; the API lets no tool message hold calls."""
    role, content = SPEAKERS.get(text(value, "role"), "user"), value.get("content")
    answers = tuple(_answers(value)) if role == "tool" else tuple(results_in(content, ("content",)))
    words = () if role == "tool" else tuple(passages_in(content, ("content",)))
    calls = () if role == "tool" else (*_calls(value), *calls_in(content, ("content",)))
    return Anatomy(role, calls=calls, results=answers, passages=words, receipt=_receipt(value))


def _answers(value: dict[str, Any]) -> Iterator[Result]:
    """Yield the result that a message is, or those that it holds as blocks."""
    content = value.get("content")
    blocks = tuple(results_in(content, ("content",)))
    yield from blocks
    if not blocks:
        id_ = next((found for key in IDS if (found := text(value, key))), "")
        failed = value.get("is_error") is True or text(value, "status") == "error"
        yield Result(id_, said(content), ("content",), text(value, "name"), failed, plain(content))


def _calls(value: dict[str, Any]) -> Iterator[Call]:
    """Yield calls as Chat Completions writes them, the one that was before there were ids, and LangChain's."""
    calls = value.get("tool_calls")
    for at, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            yield _call(call, ("tool_calls", at))
    if mapping(value, "function_call"):
        yield _call(value["function_call"], ("function_call",))


def _call(call: dict[str, Any], unit: Place) -> Call:
    kind = next((key for key in ("function", "custom") if mapping(call, key)), "")
    body = mapping(call, kind) or call
    key = next((key for key in ("arguments", "input", "args") if key in body), "arguments")
    place = (*unit, kind, key) if kind else (*unit, key)
    return Call(text(call, "id"), text(body, "name"), given(body.get(key)), place, unit)


def returned(result: Result, words: str) -> Any:
    """Return the content of a result."""
    if result.place and result.place[-1] == "output":
        return {"type": "text", "value": words}
    return words


def answer(call: Call, words: str) -> Any:
    """Return the message that answers a call."""
    if not call.id:
        return {"role": "function", "name": call.name, "content": words}
    return {"role": "tool", "tool_call_id": call.id, "content": words}


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return nothing: each result is a message."""
    del answers
    return None


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the message that holds a summary."""
    del key, parent, near
    return ({"role": role, "content": words},)


def _receipt(value: dict[str, Any]) -> Receipt | None:
    """Return what a request took where a log keeps it beside the answer, as OpenAI or as LangChain names it."""
    used = mapping(value, "usage") or mapping(value, "usage_metadata")
    context = number(used, "prompt_tokens") or number(used, "input_tokens")
    output = number(used, "completion_tokens") or number(used, "output_tokens")
    return Receipt(context, output) if context else None
