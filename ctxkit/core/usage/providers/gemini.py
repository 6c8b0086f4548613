"""Gemini: a response or a chunk of one, and messages of the sessions that Gemini CLI and Qwen Code keep."""

from collections.abc import Mapping
from typing import Any

from ctxkit.core.chat.shape import mapping, objects, text
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, number, split, told

NAME = "gemini"
_STOPS: Mapping[str, Reason] = {
    "STOP": "end", "MAX_TOKENS": "length", "OTHER": "unknown", "FINISH_REASON_UNSPECIFIED": "unknown",
    **dict.fromkeys(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"), "content_filter"),
    **dict.fromkeys(("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"), "content_filter"),
    **dict.fromkeys(("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"), "error"),
    **dict.fromkeys(("MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE"), "error"),
}


def read(value: dict[str, Any]) -> Answer | None:
    """Return what a response or a chunk says, or a message of a session, None for anything else."""
    held = _either(value, "usageMetadata", "usage_metadata")
    if text(value, "uuid") and held:
        return _kept(value, held)
    if isinstance(value.get("candidates"), list) or "promptTokenCount" in held or "promptFeedback" in value:
        return _response(value, held)
    if text(value, "type") == "gemini" and mapping(value, "tokens"):
        calls = bool(objects(value, "toolCalls"))
        stop = Stop("tool" if calls else "end")
        return Answer("gemini-cli", _session(value["tokens"]), stop, text(value, "id"), text(value, "model"))
    return None


def _kept(value: dict[str, Any], held: dict[str, Any]) -> Answer:
    """Read a line of a session of Qwen Code."""
    parts = objects(mapping(value, "message"), "parts")
    stop = Stop("tool" if any("functionCall" in part for part in parts) else "end")
    return Answer("qwen-code", of(held), stop, text(value, "uuid"), text(value, "model"), closed=True)


def _either(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    return next((found for key in keys if (found := mapping(value, key))), {})


def _response(value: dict[str, Any], held: dict[str, Any]) -> Answer:
    stop, calls = None, False
    for candidate in objects(value, "candidates")[:1]:
        raw = text(candidate, "finishReason") or text(candidate, "finish_reason")
        stop = Stop(_STOPS.get(raw, "unknown"), raw) if raw else None
        parts = objects(mapping(candidate, "content"), "parts")
        calls = any("functionCall" in part or "function_call" in part for part in parts)
    if blocked := text(mapping(value, "promptFeedback"), "blockReason"):
        stop = Stop("content_filter", blocked)
    key, model = text(value, "responseId"), text(value, "modelVersion")
    return Answer(NAME, of(held), stop, key, model, calls=calls, closed=bool(stop))


def of(held: dict[str, Any]) -> Usage | None:
    """Return usage metadata in the same words: thoughts, and what tools put into the prompt, are counted apart."""
    prompt = number(held, "promptTokenCount", "prompt_token_count")
    uncached, cached = split(prompt, number(held, "cachedContentTokenCount", "cached_content_token_count"))
    uncached += number(held, "toolUsePromptTokenCount", "tool_use_prompt_token_count")
    thought = told(held, "thoughtsTokenCount")
    thought = told(held, "thoughts_token_count") if thought is None else thought
    output = number(held, "candidatesTokenCount", "candidates_token_count") + (thought or 0)
    return Usage(uncached, cached, output=output, reasoning=thought) if prompt or output else None


def _session(tokens: dict[str, Any]) -> Usage | None:
    """Return what Gemini CLI keeps of usage metadata."""
    uncached, cached = split(number(tokens, "input"), number(tokens, "cached"))
    thought = told(tokens, "thoughts")
    output = number(tokens, "output") + (thought or 0)
    usage = Usage(uncached + number(tokens, "tool"), cached, output=output, reasoning=thought)
    return usage if usage.context_total else None
