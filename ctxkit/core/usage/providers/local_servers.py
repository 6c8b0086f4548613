"""Answers of servers that run models on a machine: Ollama, and llama.cpp, which adds timings to all others."""

from collections.abc import Mapping

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, read_number, subtract_parts

_LLAMA = "llama.cpp"
_ENDS: Mapping[str, Reason] = {"eos": "end", "word": "stop_sequence", "limit": "length"}


def read_llama(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a ``/completion`` answer or of a piece of one, None for any other value."""
    stopped = value.get("stop", "tokens_evaluated" in value or None)
    if not isinstance(stopped, bool) or not isinstance(value.get("content"), str):
        return None
    if not stopped:
        return Answer(_LLAMA)
    input_tokens, output_tokens = read_number(value, "tokens_evaluated"), read_number(value, "tokens_predicted")
    usage = read_timings(value)
    if input_tokens:
        uncached, cached = subtract_parts(input_tokens, read_number(get_object(value, "timings"), "cache_n"))
        usage = Usage(uncached, cached, output=output_tokens)
    return Answer(_LLAMA, usage, _read_llama_stop(value), model=get_text(value, "model"), closed=True)


def read_timings(value: dict[str, JsonValue]) -> Usage | None:
    """Return the usage in timings: uncached and cached prompt tokens, and output tokens."""
    timings = get_object(value, "timings")
    usage = Usage(
        read_number(timings, "prompt_n"), read_number(timings, "cache_n"), output=read_number(timings, "predicted_n")
    )
    return usage if usage.context_total else None


def _read_llama_stop(value: dict[str, JsonValue]) -> Stop:
    """Return the stop reason; newer servers name it, older ones have one flag for each."""
    if value.get("truncated") is True:
        return Stop("context_exceeded", "truncated")
    kind = get_text(value, "stop_type") or next((key for key in _ENDS if value.get(f"stopped_{key}") is True), "")
    return Stop(_ENDS.get(kind, "unknown"), kind)


_OLLAMA = "ollama"
_OLLAMA_STOPS: Mapping[str, Reason] = {"stop": "end", "length": "length", "load": "unknown", "unload": "unknown"}
_MEMBERS = ("model", "message", "response", "prompt_eval_count", "eval_count")


def read_ollama(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of an answer or of a stream line, None for any other value.

    Older servers omit the length of a fully cached prompt, which then counts as 0.
    """
    done = value.get("done", "done_reason" in value or None)
    if not isinstance(done, bool) or not any(key in value for key in _MEMBERS):
        return None
    calls = bool(get_objects(get_object(value, "message"), "tool_calls"))
    model = get_text(value, "model")
    if not done:
        return Answer(_OLLAMA, model=model, calls=calls)
    raw = get_text(value, "done_reason")
    usage = Usage(read_number(value, "prompt_eval_count"), output=read_number(value, "eval_count"))
    stop = Stop(_OLLAMA_STOPS.get(raw, "unknown"), raw) if raw else None
    return Answer(_OLLAMA, usage if usage.context_total else None, stop, "", model, calls=calls, closed=True)
