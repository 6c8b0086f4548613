"""A message of the kind that has a role and a content, as OpenAI, Anthropic and most others write it."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.message import Kind, Link, Message, Part
from ctxkit.core.chat.shape import dumped, mapping, objects, text

ROLES = ("system", "developer", "user", "assistant", "tool", "function", "human", "ai", "model", "toolResult")
_ANSWERING = ("tool", "function", "toolResult", "tool_result", "ipython")
_REASONING = ("reasoning_content", "reasoning")
IDS = ("tool_use_id", "tool_call_id", "toolCallId", "call_id")


def is_turn(value: Any, *, named: bool = True) -> bool:
    """Tell whether a value is a message: a role that there is (any, unless ``named``) and something said or called."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    said = "content" in value or "tool_calls" in value or "function_call" in value
    return said and (not named or value["role"] in ROLES)


def are_turns(values: Any, *, named: bool = True) -> bool:
    """Tell whether a value is a list of messages: the first is one, and all have a role."""
    if not isinstance(values, list) or not values or not is_turn(values[0], named=named):
        return False
    return all(isinstance(value, dict) and isinstance(value.get("role"), str) for value in values)


def turn(value: dict[str, Any], link: Link | None = None) -> Message:
    """Return a message with all its parts, calls and answers."""
    role = text(value, "role") or "user"
    answers = role in _ANSWERING
    kind: Kind = "result" if answers else "text"
    parts = [*_thought(value), *parts_of(value.get("content"), kind), *_called(value)]
    name = text(value, "name") or (text(value, "toolName") if answers else "")
    return Message(role, tuple(parts), name, _calls(value), _answers(value, answers), link)


def _thought(value: dict[str, Any]) -> Iterator[Part]:
    for key in _REASONING:
        if words := text(value, key):
            yield Part("thinking", words)
            return


def _called(value: dict[str, Any]) -> Iterator[Part]:
    for call in [*objects(value, "tool_calls"), mapping(value, "function_call")]:
        function = mapping(call, "function") or mapping(call, "custom") or call
        if function:
            given = function.get("arguments", function.get("input", function.get("args")))
            yield Part("call", dumped(given), text(function, "name"))


def _calls(value: dict[str, Any]) -> tuple[str, ...]:
    blocks = [block for block in objects(value, "content") if text(block, "type") in ("tool_use", "toolCall")]
    return tuple(found for call in [*objects(value, "tool_calls"), *blocks] if (found := text(call, "id")))


def _answers(value: dict[str, Any], answering: bool) -> tuple[str, ...]:
    blocks = [block for block in objects(value, "content") if text(block, "type") == "tool_result"]
    items = [*blocks, value] if answering else blocks
    return tuple(found for item in items for key in IDS if (found := text(item, key)))
