"""Messages of the model as LangChain dumps them, with what their request took, whichever provider answered."""

from collections.abc import Mapping
from typing import Any

from ctxkit.core.chat.shape import mapping, objects, text
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, number, split, told

NAME = "langchain"
_STOPS: Mapping[str, Reason] = {
    "stop": "end", "end_turn": "end", "STOP": "end", "length": "length", "max_tokens": "length", "MAX_TOKENS": "length",
    "tool_calls": "tool", "tool_use": "tool", "stop_sequence": "stop_sequence", "content_filter": "content_filter",
    "SAFETY": "content_filter", "refusal": "refusal",
}
_WORDS = ("finish_reason", "stop_reason")


def read(value: dict[str, Any]) -> Answer | None:
    """Return what a message of the model says, None for anything else."""
    held = mapping(value, "usage_metadata")
    if "input_tokens" not in held or "total_tokens" not in held:
        return None
    inside, thought = mapping(held, "input_token_details"), told(mapping(held, "output_token_details"), "reasoning")
    uncached, cached = split(number(held, "input_tokens"), number(inside, "cache_read"))
    uncached, written = split(uncached, number(inside, "cache_creation"))
    usage = Usage(uncached, cached, written, 0, number(held, "output_tokens"), thought)
    about = mapping(value, "response_metadata")
    raw = next((found for key in _WORDS if (found := text(about, key))), "")
    calls = bool(objects(value, "tool_calls"))
    stop = Stop(_STOPS.get(raw, "unknown"), raw) if raw else Stop("tool") if calls else None
    model = text(about, "model_name") or text(about, "model")
    return Answer(NAME, usage, stop, text(value, "id"), model, calls=calls, closed=True)
