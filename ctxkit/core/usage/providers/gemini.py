"""Gemini: a response or a chunk of one, and messages of Gemini CLI and Qwen Code sessions."""

from collections.abc import Mapping

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, read_number, read_optional_number, subtract_parts

NAME = "gemini"
_STOPS: Mapping[str, Reason] = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    "OTHER": "unknown",
    "FINISH_REASON_UNSPECIFIED": "unknown",
    **dict.fromkeys(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"), "content_filter"),
    **dict.fromkeys(("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"), "content_filter"),
    **dict.fromkeys(("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"), "error"),
    **dict.fromkeys(("MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE"), "error"),
}


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a response, of a chunk, or of a session message, None for any other value."""
    metadata = _first_mapping(value, "usageMetadata", "usage_metadata")
    if get_text(value, "uuid") and metadata:
        return _read_session_line(value, metadata)
    if isinstance(value.get("candidates"), list) or "promptTokenCount" in metadata or "promptFeedback" in value:
        return _read_response(value, metadata)
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
        "qwen-code", read_usage(metadata), stop, get_text(value, "uuid"), get_text(value, "model"), closed=True
    )


def _first_mapping(value: dict[str, JsonValue], *keys: str) -> dict[str, JsonValue]:
    return next((member for key in keys if (member := get_object(value, key))), {})


def _read_response(value: dict[str, JsonValue], metadata: dict[str, JsonValue]) -> Answer:
    stop, calls = None, False
    for candidate in get_objects(value, "candidates")[:1]:
        raw = get_text(candidate, "finishReason") or get_text(candidate, "finish_reason")
        stop = Stop(_STOPS.get(raw, "unknown"), raw) if raw else None
        parts = get_objects(get_object(candidate, "content"), "parts")
        calls = any("functionCall" in part or "function_call" in part for part in parts)
    if blocked := get_text(get_object(value, "promptFeedback"), "blockReason"):
        stop = Stop("content_filter", blocked)
    key, model = get_text(value, "responseId"), get_text(value, "modelVersion")
    return Answer(NAME, read_usage(metadata), stop, key, model, calls=calls, closed=bool(stop))


def read_usage(fields: dict[str, JsonValue]) -> Usage | None:
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
