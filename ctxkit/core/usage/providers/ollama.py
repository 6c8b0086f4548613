"""Ollama: an answer of ``/api/chat`` or ``/api/generate``, or the lines of its stream."""

from collections.abc import Mapping

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, read_number

NAME = "ollama"
_STOPS: Mapping[str, Reason] = {"stop": "end", "length": "length", "load": "unknown", "unload": "unknown"}

_MEMBERS = ("model", "message", "response", "prompt_eval_count", "eval_count")


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of an answer or of a stream line, None for any other value.

    Older servers omit the length of a fully cached prompt, which then counts as 0.
    """
    done = value.get("done", "done_reason" in value or None)
    if not isinstance(done, bool) or not any(key in value for key in _MEMBERS):
        return None
    calls = bool(get_objects(get_object(value, "message"), "tool_calls"))
    model = get_text(value, "model")
    if not done:
        return Answer(NAME, model=model, calls=calls)
    raw = get_text(value, "done_reason")
    usage = Usage(read_number(value, "prompt_eval_count"), output=read_number(value, "eval_count"))
    stop = Stop(_STOPS.get(raw, "unknown"), raw) if raw else None
    return Answer(NAME, usage if usage.context_total else None, stop, "", model, calls=calls, closed=True)
