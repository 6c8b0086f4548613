"""OpenAI Responses: a request with ``input``, an array of items, or one item a line."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.blocks import parts_of, thinking
from ctxkit.core.chat.message import Entry, Message, Part, Start
from ctxkit.core.chat.shape import dumped, text
from ctxkit.core.chat.tools import toolset
from ctxkit.core.chat.turn import is_turn, turn

NAME, PROVIDER, LINEAR = "responses", "openai", True
_CALLS = ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "web_search_call", "mcp_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output")
_OTHERS = ("message", "reasoning", "compaction", "compaction_summary", "item_reference")


def is_item(value: Any) -> bool:
    """Tell whether a value is an item that Chat Completions has not."""
    kind = text(value, "type")
    if kind == "message":
        return isinstance(value.get("role"), str) and "content" in value
    return kind in _CALLS + _OUTPUTS or (kind == "reasoning" and ("summary" in value or "encrypted_content" in value))


def claims(value: Any) -> bool:
    """Tell whether a value is a request with input, a list of items, or an item."""
    if isinstance(value, dict):
        given = value.get("input")
        asks = "model" in value or "instructions" in value
        items = isinstance(given, list) and bool(given) and all(is_item(item) or is_turn(item) for item in given)
        return is_item(value) or items or (asks and isinstance(given, str) and "messages" not in value)
    return isinstance(value, list) and any(map(is_item, value)) and all(is_item(v) or is_turn(v) for v in value)


def entries(value: Any) -> Iterator[Entry]:
    """Yield instructions, tools and items; raises ValueError where there is none."""
    if isinstance(value, dict) and "input" in value and not text(value, "type"):
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
    else:
        raise ValueError("no item: it has no type")


def item(value: dict[str, Any]) -> Message:
    """Return an item as a message of one part or more."""
    kind, call = text(value, "type"), text(value, "call_id")
    if kind in _CALLS:
        given = value.get("arguments", value.get("input", value.get("action")))
        return Message("assistant", (Part("call", dumped(given), text(value, "name") or kind),), calls=_ids(call))
    if kind in _OUTPUTS:
        output = value.get("output", value.get("tools"))
        parts = parts_of(output, "result") if kind != "tool_search_output" else [Part("result", dumped(output))]
        return Message("tool", tuple(parts), answers=_ids(call))
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
