"""Trajectories of SWE-agent, and of others that keep their messages under ``history``."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.message import Entry, Message, Part, Start
from ctxkit.core.chat.shape import objects, text
from ctxkit.core.chat.turn import are_turns, turn

NAME, PROVIDER, LINEAR = "swe-agent", "", True


def claims(value: Any) -> bool:
    """Tell whether a value has a history of messages, whatever their roles are called."""
    return isinstance(value, dict) and are_turns(value.get("history"), named=False)


def entries(value: Any) -> Iterator[Entry]:
    """Yield the messages of a history; raises ValueError where there is none."""
    if not claims(value):
        raise ValueError("no trajectory: it has no history of messages")
    yield Start()
    history = objects(value, "history")
    if (words := text(value, "system_prompt")) and text(history[0], "role") != "system":
        yield Message("system", (Part("text", words),))
    yield from map(turn, history)
