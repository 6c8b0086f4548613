"""The own answers of a llama.cpp server, and the timings that it adds to all others."""

from collections.abc import Mapping
from typing import Any

from ctxkit.core.chat.shape import mapping, text
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, number, split

NAME = "llama.cpp"
_STOPS: Mapping[str, Reason] = {"eos": "end", "word": "stop_sequence", "limit": "length"}


def read(value: dict[str, Any]) -> Answer | None:
    """Return what an answer of ``/completion``, or a piece of one, says, None for anything else."""
    stopped = value.get("stop", "tokens_evaluated" in value or None)
    if not isinstance(stopped, bool) or not isinstance(value.get("content"), str):
        return None
    if not stopped:
        return Answer(NAME)
    read_, written = number(value, "tokens_evaluated"), number(value, "tokens_predicted")
    usage = timed(value)
    if read_:
        uncached, cached = split(read_, number(mapping(value, "timings"), "cache_n"))
        usage = Usage(uncached, cached, output=written)
    return Answer(NAME, usage, _stop(value), model=text(value, "model"), closed=True)


def timed(value: dict[str, Any]) -> Usage | None:
    """Return what timings say: tokens of the prompt that were read anew, those that were not, and those written."""
    held = mapping(value, "timings")
    usage = Usage(number(held, "prompt_n"), number(held, "cache_n"), output=number(held, "predicted_n"))
    return usage if usage.context_total else None


def _stop(value: dict[str, Any]) -> Stop:
    """Return why it ended: newer servers name it, older ones have a flag for each."""
    if value.get("truncated") is True:
        return Stop("context_exceeded", "truncated")
    kind = text(value, "stop_type") or next((key for key in _STOPS if value.get(f"stopped_{key}") is True), "")
    return Stop(_STOPS.get(kind, "unknown"), kind)
