"""Amazon Bedrock's Converse: a response, or the last events of its stream.

``inputTokens`` exclude what the cache read or wrote (Bedrock user guide, "Prompt caching for faster model inference").
"""

from collections.abc import Mapping

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, read_number

NAME = "bedrock"
_STOPS: Mapping[str, Reason] = {
    "end_turn": "end",
    "tool_use": "tool",
    "max_tokens": "length",
    "stop_sequence": "stop_sequence",
    "guardrail_intervened": "content_filter",
    "content_filtered": "content_filter",
    "malformed_model_output": "error",
    "malformed_tool_use": "error",
    "model_context_window_exceeded": "context_exceeded",
}


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a response or of an event, None for any other value."""
    if "messageStop" in value:
        return Answer(NAME, stop=_read_stop(get_object(value, "messageStop")))
    if usage := read_usage(get_object(get_object(value, "metadata"), "usage")):
        return Answer(NAME, usage, closed=True)
    if "stopReason" in value and (usage := read_usage(get_object(value, "usage"))):
        blocks = get_objects(get_object(get_object(value, "output"), "message"), "content")
        calls = any("toolUse" in block for block in blocks)
        return Answer(NAME, usage, _read_stop(value), calls=calls, closed=True)
    return None


def _read_stop(value: dict[str, JsonValue]) -> Stop | None:
    raw = get_text(value, "stopReason")
    return Stop(_STOPS.get(raw, "unknown"), raw) if raw else None


def read_usage(fields: dict[str, JsonValue]) -> Usage | None:
    """Return a usage object in common terms, None for one of another provider."""
    if "inputTokens" not in fields:
        return None
    read_tokens = read_number(fields, "cacheReadInputTokens", "cacheReadInputTokenCount")
    written = read_number(fields, "cacheWriteInputTokens", "cacheWriteInputTokenCount")
    usage = Usage(read_number(fields, "inputTokens"), read_tokens, written, 0, read_number(fields, "outputTokens"))
    return usage if usage.context_total else None
