"""Anthropic Messages: a request with its system prompt and tools, an array of messages, or one message a line."""

from collections.abc import Iterator, Sequence
from typing import Any

from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.formats.openai import where as where
from ctxkit.core.chat.linear import hung as hung
from ctxkit.core.chat.linear import identity as identity
from ctxkit.core.chat.linear import relinked as relinked
from ctxkit.core.chat.message import Entry, Message, Start
from ctxkit.core.chat.record import Anatomy, Call, Receipt, Result
from ctxkit.core.chat.shape import mapping, number, objects, text
from ctxkit.core.chat.tools import toolset
from ctxkit.core.chat.turn import are_turns, is_turn, turn
from ctxkit.core.chat.units import calls_in, passages_in, results_in, sealed, thinks

NAME, PROVIDER, LINEAR = "anthropic", "anthropic", True
RULES = Rules("next", results_first=True, alternates=True, opens=True, loops=True, summary="user")
_OWN = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "compaction")


def claims(value: Any) -> bool:
    """Tell whether a value has messages, and among them or beside them what only Anthropic's API has."""
    if isinstance(value, list):
        return are_turns(value) and any(map(_own, value))
    if not isinstance(value, dict):
        return False
    if not are_turns(value.get("messages")):
        return is_turn(value) and _own(value)
    tools = objects(value, "tools")
    return (
        "system" in value
        or "anthropic_version" in value
        or any("input_schema" in tool and "function" not in tool for tool in tools)
        or any(map(_own, value["messages"]))
    )


def _own(message: Any) -> bool:
    blocks = objects(message, "content")
    return any(text(block, "type") in _OWN or mapping(block, "source") for block in blocks)


def entries(value: Any) -> Iterator[Entry]:
    """Yield the system prompt, the tools and the messages; raises ValueError where there is none."""
    if not isinstance(value, dict) or "messages" not in value:
        yield from openai.entries(value)
        return
    yield Start()
    if found := toolset(value):
        yield found
    if system := tuple(parts_of(value.get("system"))):
        yield Message("system", system)
    yield from map(turn, objects(value, "messages"))


def anatomy(value: Any) -> Anatomy:
    """Return what a message says, calls and answers."""
    content, place = value.get("content"), ("content",)
    return Anatomy(
        openai.SPEAKERS.get(text(value, "role"), "user"),
        "message",
        tuple(calls_in(content, place)),
        tuple(results_in(content, place)),
        tuple(passages_in(content, place)),
        sealed(content),
        thinks(content),
        receipt(value),
    )


def receipt(message: dict[str, Any]) -> Receipt | None:
    """Return what a response took, None where its usage is not known: what was read from a cache is apart there."""
    used = mapping(message, "usage")
    apart = mapping(used, "cache_creation")
    written = number(used, "cache_creation_input_tokens") or sum(number(apart, key) for key in apart)
    context = number(used, "input_tokens") + written + number(used, "cache_read_input_tokens")
    return Receipt(context, number(used, "output_tokens")) if context else None


def returned(result: Result, words: str) -> Any:
    """Return the content of a result."""
    del result
    return words


def answer(call: Call, words: str) -> Any:
    """Return the block that answers a call."""
    return {"type": "tool_result", "tool_use_id": call.id, "content": words}


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return the message of the user that carries results."""
    return {"role": "user", "content": list(answers)}


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the message that holds a summary: the user's, as there is no other before the model's."""
    del role, key, parent, near
    return ({"role": "user", "content": words},)
