"""Answers of providers in common terms: OpenAI, Anthropic, Bedrock, Gemini, Ollama, llama.cpp, and their copies.

``inputTokens`` of Bedrock exclude what the cache read or wrote (its user guide, "Prompt caching for faster model
inference").
"""

from collections.abc import Mapping

from ctxkit.core.chat.formats.responses import is_output
from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import (
    Answer,
    CompactionReceipt,
    Reason,
    Stop,
    Usage,
    name_stop,
    read_number,
    read_optional_number,
    subtract_parts,
)

OPENAI = "openai"
_OPENAI_STOPS: Mapping[str, Reason] = {
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


def read_openai(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a completion or of a chunk, None for any other value."""
    choices = get_objects(value, "choices")
    kind = get_text(value, "object")
    if not isinstance(value.get("choices"), list) and not kind.startswith(("chat.completion", "text_completion")):
        return None
    fields = get_object(value, "usage") or get_object(get_object(value, "x_groq"), "usage")
    usage = read_openai_usage(fields) or _read_timings(value)
    if usage and not usage.cache_read:
        usage = _split_cached(usage, read_number(get_object(value, "timings"), "cache_n"))
    stop, calls = None, False
    for choice in choices[:1]:
        stop = _read_openai_stop(choice)
        message = get_object(choice, "message") or get_object(choice, "delta")
        calls = bool(get_objects(message, "tool_calls") or get_object(message, "function_call"))
    return Answer(OPENAI, usage, stop, get_text(value, "id"), get_text(value, "model"), calls=calls)


def _split_cached(usage: Usage, cached: int) -> Usage:
    """Return the usage with llama.cpp's cached tokens, which it includes in the input."""
    uncached, cached = subtract_parts(usage.input_uncached, cached)
    return usage._replace(input_uncached=uncached, cache_read=cached) if uncached + cached == usage.input else usage


def _read_openai_stop(choice: dict[str, JsonValue]) -> Stop | None:
    """Return the stop reason of a choice; vLLM also names the stop sequence."""
    raw = get_text(choice, "finish_reason")
    if not raw:
        return None
    if get_text(get_object(choice, "message"), "refusal"):
        return Stop("refusal", raw)
    if raw == "stop" and get_text(choice, "stop_reason"):
        return Stop("stop_sequence", raw)
    return Stop(_OPENAI_STOPS.get(raw, "unknown"), raw)


def read_openai_usage(fields: dict[str, JsonValue]) -> Usage | None:
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
    usage = _read_timings(value)
    if input_tokens:
        uncached, cached = subtract_parts(input_tokens, read_number(get_object(value, "timings"), "cache_n"))
        usage = Usage(uncached, cached, output=output_tokens)
    return Answer(_LLAMA, usage, _read_llama_stop(value), model=get_text(value, "model"), closed=True)


def _read_timings(value: dict[str, JsonValue]) -> Usage | None:
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
    stop = name_stop(raw, _OLLAMA_STOPS)
    return Answer(_OLLAMA, usage if usage.context_total else None, stop, "", model, calls=calls, closed=True)


RESPONSES = "responses"
_INCOMPLETE_REASONS: Mapping[str, Reason] = {
    "max_output_tokens": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "max_prompt_tokens": "context_exceeded",
}
_STATUS: Mapping[str, Reason] = {
    "completed": "end",
    "failed": "error",
    "cancelled": "aborted",
    "incomplete": "unknown",
}
_CALLER_TOOLS = (
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "computer_call",
)
"""Items that call a tool of the caller."""


def read_responses(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a response or of a stream event, None for any other value."""
    event, response = get_text(value, "type"), get_object(value, "response")
    if event.startswith("response."):
        status = event.removeprefix("response.")
        return (
            _read_response({"status": status, **response} if status in _STATUS else response)
            if response
            else Answer(RESPONSES)
        )
    kind = get_text(value, "object")
    return _read_response(value) if kind in ("response", "response.compaction") else None


def _read_response(value: dict[str, JsonValue]) -> Answer:
    error = get_object(value, "error")
    output = get_objects(value, "output")
    calls = any(get_text(item, "type") in _CALLER_TOOLS and not is_output(get_text(item, "type")) for item in output)
    return Answer(
        *(
            RESPONSES,
            read_responses_usage(get_object(value, "usage")),
            _read_responses_stop(value, output),
            get_text(value, "id"),
            get_text(value, "model"),
        ),
        get_text(error, "message"),
        calls,
    )


def _read_responses_stop(value: dict[str, JsonValue], output: list[dict[str, JsonValue]]) -> Stop | None:
    status, cut = get_text(value, "status"), get_text(get_object(value, "incomplete_details"), "reason")
    if get_text(value, "object") == "response.compaction":
        return Stop("compaction", status)
    if status == "incomplete" and cut:
        return Stop(_INCOMPLETE_REASONS.get(cut, "unknown"), cut)
    if status == "completed" and any(
        get_text(part, "type") == "refusal" for item in output for part in get_objects(item, "content")
    ):
        return Stop("refusal", status)
    code = get_text(get_object(value, "error"), "code")
    return Stop(_STATUS[status], code or status) if status in _STATUS else None


def read_responses_usage(fields: dict[str, JsonValue]) -> Usage | None:
    """Return a usage object in common terms; the input includes cached tokens."""
    input_tokens, output = read_number(fields, "input_tokens"), read_number(fields, "output_tokens")
    if not input_tokens and not output:
        return None
    details = get_object(fields, "input_tokens_details")
    uncached, cached, cache_writes = subtract_parts(
        input_tokens,
        read_number(details, "cached_tokens"),
        read_number(details, "cache_write_tokens", "cache_creation_tokens"),
    )
    return Usage(
        uncached,
        cached,
        cache_writes,
        0,
        output,
        read_optional_number(get_object(fields, "output_tokens_details"), "reasoning_tokens"),
    )


ANTHROPIC = "anthropic"
_ANTHROPIC_STOPS: Mapping[str, Reason] = {
    "end_turn": "end",
    "max_tokens": "length",
    "stop_sequence": "stop_sequence",
    "tool_use": "tool",
    "pause_turn": "pause",
    "refusal": "refusal",
    "model_context_window_exceeded": "context_exceeded",
    "compaction": "compaction",
    "content_filter": "content_filter",
}
_EVENTS_WITHOUT_USAGE = ("message_stop", "content_block_start", "content_block_delta", "content_block_stop", "ping")
"""Events without usage."""


def read_anthropic(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a message, of a stream event or of a compaction, None for any other value."""
    kind = get_text(value, "type")
    if get_text(value, "subtype") == "compact_boundary":
        after = read_optional_number(get_object(value, "compactMetadata"), "postTokens")
        return Answer(ANTHROPIC, closed=True, compaction=CompactionReceipt(after))
    if kind == "message_start":
        return _read_message(get_object(value, "message"))
    if kind == "message_delta":
        stop = name_stop(get_text(get_object(value, "delta"), "stop_reason"), _ANTHROPIC_STOPS)
        return Answer(ANTHROPIC, read_anthropic_usage(get_object(value, "usage")), stop)
    if kind in _EVENTS_WITHOUT_USAGE:
        return Answer(ANTHROPIC, closed=kind == "message_stop")
    usage = get_object(value, "usage")
    if not kind and "stop_reason" in value and "input_tokens" in usage:
        return _read_message(value)
    if get_text(value, "role") == "assistant" and "input_tokens" in usage and (kind == "message" or "content" in value):
        return _read_message(value)
    return None


def _read_message(value: dict[str, JsonValue]) -> Answer:
    calls = any(get_text(block, "type") == "tool_use" for block in get_objects(value, "content"))
    return Answer(
        ANTHROPIC,
        read_anthropic_usage(get_object(value, "usage")),
        name_stop(get_text(value, "stop_reason"), _ANTHROPIC_STOPS),
        get_text(value, "id"),
        get_text(value, "model"),
        calls=calls,
    )


def read_anthropic_usage(fields: dict[str, JsonValue]) -> Usage | None:
    """Return a usage object in common terms; ``input_tokens`` excludes cache reads and writes.

    Cache writes are reported by time to live and as a sum, and either may be zero or absent. The rest of the sum counts
    as the five-minute cache, which is the default.
    """
    lives = get_object(fields, "cache_creation")
    short, long = read_number(lives, "ephemeral_5m_input_tokens"), read_number(lives, "ephemeral_1h_input_tokens")
    short += max(read_number(fields, "cache_creation_input_tokens") - short - long, 0)
    reasoning_tokens = read_optional_number(get_object(fields, "output_tokens_details"), "thinking_tokens")
    cached = read_number(fields, "cache_read_input_tokens")
    usage = Usage(
        read_number(fields, "input_tokens"), cached, short, long, read_number(fields, "output_tokens"), reasoning_tokens
    )
    return usage if usage.context_total else None


_BEDROCK = "bedrock"
_BEDROCK_STOPS: Mapping[str, Reason] = {
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


def read_bedrock(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a response or of an event, None for any other value."""
    end = get_object(value, "messageStop") if "messageStop" in value else value
    stop = name_stop(get_text(end, "stopReason"), _BEDROCK_STOPS)
    if "messageStop" in value:
        return Answer(_BEDROCK, stop=stop)
    if usage := _read_bedrock_usage(get_object(get_object(value, "metadata"), "usage")):
        return Answer(_BEDROCK, usage, closed=True)
    if "stopReason" in value and (usage := _read_bedrock_usage(get_object(value, "usage"))):
        blocks = get_objects(get_object(get_object(value, "output"), "message"), "content")
        calls = any("toolUse" in block for block in blocks)
        return Answer(_BEDROCK, usage, stop, calls=calls, closed=True)
    return None


def _read_bedrock_usage(fields: dict[str, JsonValue]) -> Usage | None:
    """Return a usage object in common terms, None for one of another provider."""
    if "inputTokens" not in fields:
        return None
    read_tokens = read_number(fields, "cacheReadInputTokens", "cacheReadInputTokenCount")
    written = read_number(fields, "cacheWriteInputTokens", "cacheWriteInputTokenCount")
    usage = Usage(read_number(fields, "inputTokens"), read_tokens, written, 0, read_number(fields, "outputTokens"))
    return usage if usage.context_total else None


GEMINI = "gemini"
_GEMINI_STOPS: Mapping[str, Reason] = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    "OTHER": "unknown",
    "FINISH_REASON_UNSPECIFIED": "unknown",
    **dict.fromkeys(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"), "content_filter"),
    **dict.fromkeys(("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"), "content_filter"),
    **dict.fromkeys(("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"), "error"),
    **dict.fromkeys(("MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE"), "error"),
}


def read_gemini(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a response, of a chunk, or of a session message, None for any other value."""
    metadata = _first_mapping(value, "usageMetadata", "usage_metadata")
    if get_text(value, "uuid") and metadata:
        return _read_session_line(value, metadata)
    if isinstance(value.get("candidates"), list) or "promptTokenCount" in metadata or "promptFeedback" in value:
        return _read_gemini_response(value, metadata)
    if get_text(value, "type") == "gemini" and get_object(value, "tokens"):
        calls = bool(get_objects(value, "toolCalls"))
        stop = Stop("tool" if calls else "end")
        return Answer(
            "gemini-cli", _read_session_usage(value["tokens"]), stop, get_text(value, "id"), get_text(value, "model")
        )
    return None


def _read_session_line(value: dict[str, JsonValue], metadata: dict[str, JsonValue]) -> Answer:
    """Return the metadata of a line in a Qwen Code session."""
    parts = get_objects(get_object(value, "message"), "parts")
    stop = Stop("tool" if any("functionCall" in part for part in parts) else "end")
    return Answer(
        "qwen-code", read_gemini_usage(metadata), stop, get_text(value, "uuid"), get_text(value, "model"), closed=True
    )


def _first_mapping(value: dict[str, JsonValue], *keys: str) -> dict[str, JsonValue]:
    return next((member for key in keys if (member := get_object(value, key))), {})


def _read_gemini_response(value: dict[str, JsonValue], metadata: dict[str, JsonValue]) -> Answer:
    stop, calls = None, False
    for candidate in get_objects(value, "candidates")[:1]:
        raw = get_text(candidate, "finishReason") or get_text(candidate, "finish_reason")
        stop = name_stop(raw, _GEMINI_STOPS)
        parts = get_objects(get_object(candidate, "content"), "parts")
        calls = any("functionCall" in part or "function_call" in part for part in parts)
    if blocked := get_text(get_object(value, "promptFeedback"), "blockReason"):
        stop = Stop("content_filter", blocked)
    key, model = get_text(value, "responseId"), get_text(value, "modelVersion")
    return Answer(GEMINI, read_gemini_usage(metadata), stop, key, model, calls=calls, closed=bool(stop))


def read_gemini_usage(fields: dict[str, JsonValue]) -> Usage | None:
    """Return usage metadata in common terms; Gemini counts thoughts and tool prompts separately."""
    prompt = read_number(fields, "promptTokenCount", "prompt_token_count")
    uncached, cached = subtract_parts(
        prompt, read_number(fields, "cachedContentTokenCount", "cached_content_token_count")
    )
    uncached += read_number(fields, "toolUsePromptTokenCount", "tool_use_prompt_token_count")
    reasoning_tokens = read_optional_number(fields, "thoughtsTokenCount")
    reasoning_tokens = (
        read_optional_number(fields, "thoughts_token_count") if reasoning_tokens is None else reasoning_tokens
    )
    output = read_number(fields, "candidatesTokenCount", "candidates_token_count") + (reasoning_tokens or 0)
    return Usage(uncached, cached, output=output, reasoning=reasoning_tokens) if prompt or output else None


def _read_session_usage(tokens: dict[str, JsonValue]) -> Usage | None:
    """Return the usage that Gemini CLI stores."""
    uncached, cached = subtract_parts(read_number(tokens, "input"), read_number(tokens, "cached"))
    reasoning_tokens = read_optional_number(tokens, "thoughts")
    output = read_number(tokens, "output") + (reasoning_tokens or 0)
    usage = Usage(uncached + read_number(tokens, "tool"), cached, output=output, reasoning=reasoning_tokens)
    return usage if usage.context_total else None
