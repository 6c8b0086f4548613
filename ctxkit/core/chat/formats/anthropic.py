"""Anthropic Messages: a request with its system prompt and tools, an array of messages, or one message a line."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.message import Entry, Message, Start
from ctxkit.core.chat.shape import mapping, objects, text
from ctxkit.core.chat.tools import toolset
from ctxkit.core.chat.turn import are_turns, is_turn, turn

NAME, PROVIDER, LINEAR = "anthropic", "anthropic", True
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
