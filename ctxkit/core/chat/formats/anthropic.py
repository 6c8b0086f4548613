"""Anthropic Messages: a request with its system prompt and tools, an array of messages, or one message a line.

Bedrock's Converse demands the same of a conversation; its blocks have no type, but a member that says what they are.
"""

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
from ctxkit.core.chat.units import CALL, RESULT, calls_in, passages_in, results_in, sealed, thinks

NAME, PROVIDER, LINEAR = "anthropic", "anthropic", True
RULES = Rules("next", results_first=True, alternates=True, opens=True, loops=True, summary="user")
_OWN = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "compaction")
_OWN_MEMBERS = ("source", CALL, RESULT)


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
        or (text(value, "model").startswith("claude") and not any(map(_theirs, value["messages"])))
    )


def _own(message: Any) -> bool:
    blocks = objects(message, "content")
    return any(text(block, "type") in _OWN or any(mapping(block, key) for key in _OWN_MEMBERS) for block in blocks)


def _theirs(message: Any) -> bool:
    """Tell whether a message has what Anthropic's API refuses: a role of OpenAI's, or calls beside its content."""
    return text(message, "role") not in ("user", "assistant") or "tool_calls" in message


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
    """Return the content of a result: blocks where it is one of Bedrock's."""
    return [{"text": words}] if RESULT in result.place else words


def answer(call: Call, words: str) -> Any:
    """Return the block that answers a call."""
    if CALL in call.place:
        return {RESULT: {"toolUseId": call.id, "content": [{"text": words}], "status": "error"}}
    return {"type": "tool_result", "tool_use_id": call.id, "content": words}


def carrier(answers: Sequence[Any]) -> Any | None:
    """Return the message of the user that carries results."""
    return {"role": "user", "content": list(answers)}


def summary(words: str, role: str, key: str, parent: str | None, near: Any) -> Sequence[Any]:
    """Return the message that holds a summary: the user's, as there is no other before the model's.

    Bedrock takes no plain text for a content.
    """
    del role, key, parent
    blocks = objects(near, "content")
    return ({"role": "user", "content": [{"text": words}] if blocks and "type" not in blocks[0] else words},)
