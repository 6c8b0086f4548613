"""Chat Completions of OpenAI and compatible providers, complete or in chunks."""

from collections.abc import Mapping

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, read_number, read_optional_number, subtract_parts
from ctxkit.core.usage.providers import local_servers

NAME = "openai"
_STOPS: Mapping[str, Reason] = {
    "stop": "end",
    "eos": "end",
    "eos_token": "end",
    "end_turn": "end",
    "length": "length",
    "max_tokens": "length",
    "model_length": "context_exceeded",
    "tool_calls": "tool",
    "function_call": "tool",
    "tool_use": "tool",
    "content_filter": "content_filter",
    "error": "error",
    "insufficient_system_resource": "error",
    "abort": "aborted",
    "cancelled": "aborted",
    "repetition": "aborted",
}
"""Terms of OpenAI, vLLM, SGLang, TGI, Mistral, DeepSeek and OpenRouter."""


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a completion or of a chunk, None for any other value."""
    choices = get_objects(value, "choices")
    kind = get_text(value, "object")
    if not isinstance(value.get("choices"), list) and not kind.startswith(("chat.completion", "text_completion")):
        return None
    fields = get_object(value, "usage") or get_object(get_object(value, "x_groq"), "usage")
    usage = read_usage(fields) or local_servers.read_timings(value)
    if usage and not usage.cache_read:
        usage = _split_cached(usage, read_number(get_object(value, "timings"), "cache_n"))
    stop, calls = None, False
    for choice in choices[:1]:
        stop = _read_stop(choice)
        message = get_object(choice, "message") or get_object(choice, "delta")
        calls = bool(get_objects(message, "tool_calls") or get_object(message, "function_call"))
    return Answer(NAME, usage, stop, get_text(value, "id"), get_text(value, "model"), calls=calls)


def _split_cached(usage: Usage, cached: int) -> Usage:
    """Return the usage with llama.cpp's cached tokens, which it includes in the input."""
    uncached, cached = subtract_parts(usage.input_uncached, cached)
    return usage._replace(input_uncached=uncached, cache_read=cached) if uncached + cached == usage.input else usage


def _read_stop(choice: dict[str, JsonValue]) -> Stop | None:
    """Return the stop reason of a choice; vLLM also names the stop sequence."""
    raw = get_text(choice, "finish_reason")
    if not raw:
        return None
    if get_text(get_object(choice, "message"), "refusal"):
        return Stop("refusal", raw)
    if raw == "stop" and get_text(choice, "stop_reason"):
        return Stop("stop_sequence", raw)
    return Stop(_STOPS.get(raw, "unknown"), raw)


def read_usage(fields: dict[str, JsonValue]) -> Usage | None:
    """Return a usage object in common terms; the prompt includes cache reads and writes."""
    prompt, output = read_number(fields, "prompt_tokens"), read_number(fields, "completion_tokens")
    if not prompt and not output:
        return None
    details, completion_details = (
        get_object(fields, "prompt_tokens_details"),
        get_object(fields, "completion_tokens_details"),
    )
    cached = read_number(details, "cached_tokens") or read_number(
        fields, "cache_read_input_tokens", "prompt_cache_hit_tokens"
    )
    cache_writes = read_number(details, "cache_write_tokens", "cache_creation_tokens")
    cache_writes = cache_writes or read_number(fields, "cache_creation_input_tokens")
    reasoning_tokens = read_optional_number(completion_details, "reasoning_tokens")
    reasoning_tokens = (
        read_optional_number(fields, "reasoning_tokens") if reasoning_tokens is None else reasoning_tokens
    )
    extra_tokens = read_number(fields, "total_tokens") - prompt - output
    output += (
        reasoning_tokens if reasoning_tokens and extra_tokens == reasoning_tokens else 0
    )  # some providers count reasoning outside the completion
    uncached, cached, cache_writes = subtract_parts(prompt, cached, cache_writes)
    return Usage(uncached, cached, cache_writes, 0, output, reasoning_tokens)
