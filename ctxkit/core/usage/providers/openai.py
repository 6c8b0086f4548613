"""Chat Completions, whole or in chunks, of OpenAI and of the many that answer as it does."""

from collections.abc import Mapping
from typing import Any

from ctxkit.core.chat.shape import mapping, objects, text
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, number, split, told
from ctxkit.core.usage.providers import llama

NAME = "openai"
_STOPS: Mapping[str, Reason] = {
    "stop": "end", "eos": "end", "eos_token": "end", "end_turn": "end", "length": "length", "max_tokens": "length",
    "model_length": "context_exceeded", "tool_calls": "tool", "function_call": "tool", "tool_use": "tool",
    "content_filter": "content_filter", "error": "error", "insufficient_system_resource": "error",
    "abort": "aborted", "cancelled": "aborted", "repetition": "aborted",
}
"""Words of OpenAI, and of vLLM, SGLang, TGI, Mistral, DeepSeek and OpenRouter beside it."""


def read(value: dict[str, Any]) -> Answer | None:
    """Return what a completion or a chunk of one says, None for anything else."""
    choices = objects(value, "choices")
    kind = text(value, "object")
    if not isinstance(value.get("choices"), list) and not kind.startswith(("chat.completion", "text_completion")):
        return None
    held = mapping(value, "usage") or mapping(mapping(value, "x_groq"), "usage")
    usage = of(held) or llama.timed(value)
    if usage and not usage.cache_read:
        usage = _reused(usage, number(mapping(value, "timings"), "cache_n"))
    stop, calls = None, False
    for choice in choices[:1]:
        stop = _stop(choice)
        message = mapping(choice, "message") or mapping(choice, "delta")
        calls = bool(objects(message, "tool_calls") or mapping(message, "function_call"))
    return Answer(NAME, usage, stop, text(value, "id"), text(value, "model"), calls=calls)


def _reused(usage: Usage, cached: int) -> Usage:
    """Return usage with what llama.cpp took from its cache, which it counts in the input."""
    uncached, cached = split(usage.input_uncached, cached)
    uncached, cached = split(usage.input_uncached, cached)
    return usage._replace(input_uncached=uncached, cache_read=cached) if uncached + cached == usage.input else usage


def _stop(choice: dict[str, Any]) -> Stop | None:
    """Return why a choice ended; vLLM names beside it the sequence that ended it."""
    raw = text(choice, "finish_reason")
    if not raw:
        return None
    if text(mapping(choice, "message"), "refusal"):
        return Stop("refusal", raw)
    if raw == "stop" and text(choice, "stop_reason"):
        return Stop("stop_sequence", raw)
    return Stop(_STOPS.get(raw, "unknown"), raw)


def of(held: dict[str, Any]) -> Usage | None:
    """Return a usage object in the same words: what comes from a cache, or goes to one, is part of the prompt."""
    prompt, output = number(held, "prompt_tokens"), number(held, "completion_tokens")
    if not prompt and not output:
        return None
    details, written = mapping(held, "prompt_tokens_details"), mapping(held, "completion_tokens_details")
    cached = number(details, "cached_tokens") or number(held, "cache_read_input_tokens", "prompt_cache_hit_tokens")
    stored = number(details, "cache_write_tokens", "cache_creation_tokens")
    stored = stored or number(held, "cache_creation_input_tokens")
    stored = stored or number(held, "cache_creation_input_tokens")
    thought = told(written, "reasoning_tokens")
    thought = told(held, "reasoning_tokens") if thought is None else thought
    beside = number(held, "total_tokens") - prompt - output
    output += thought if thought and beside == thought else 0  # some count reasoning beside the completion
    uncached, cached, stored = split(prompt, cached, stored)
    return Usage(uncached, cached, stored, 0, output, thought)
