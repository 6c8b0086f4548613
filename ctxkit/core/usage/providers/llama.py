"""llama.cpp server: its native answers, and the timings that it adds to all other answers."""

from collections.abc import Mapping

from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, read_number, subtract_parts

NAME = "llama.cpp"
_STOPS: Mapping[str, Reason] = {"eos": "end", "word": "stop_sequence", "limit": "length"}


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a ``/completion`` answer or of a piece of one, None for any other value."""
    stopped = value.get("stop", "tokens_evaluated" in value or None)
    if not isinstance(stopped, bool) or not isinstance(value.get("content"), str):
        return None
    if not stopped:
        return Answer(NAME)
    input_tokens, output_tokens = read_number(value, "tokens_evaluated"), read_number(value, "tokens_predicted")
    usage = read_timings(value)
    if input_tokens:
        uncached, cached = subtract_parts(input_tokens, read_number(get_object(value, "timings"), "cache_n"))
        usage = Usage(uncached, cached, output=output_tokens)
    return Answer(NAME, usage, _read_stop(value), model=get_text(value, "model"), closed=True)


def read_timings(value: dict[str, JsonValue]) -> Usage | None:
    """Return the usage in timings: uncached and cached prompt tokens, and output tokens."""
    timings = get_object(value, "timings")
    usage = Usage(
        read_number(timings, "prompt_n"), read_number(timings, "cache_n"), output=read_number(timings, "predicted_n")
    )
    return usage if usage.context_total else None


def _read_stop(value: dict[str, JsonValue]) -> Stop:
    """Return the stop reason; newer servers name it, older ones have one flag for each."""
    if value.get("truncated") is True:
        return Stop("context_exceeded", "truncated")
    kind = get_text(value, "stop_type") or next((key for key in _STOPS if value.get(f"stopped_{key}") is True), "")
    return Stop(_STOPS.get(kind, "unknown"), kind)
