"""OpenAI Chat Completions: a request, an array of messages, or one message a line; most others write the same."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.message import Entry, Message, Part, Start
from ctxkit.core.chat.shape import objects, text
from ctxkit.core.chat.tools import toolset
from ctxkit.core.chat.turn import are_turns, is_turn, turn

NAME, PROVIDER, LINEAR = "openai", "openai", True


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
