"""OpenAI Responses: the response, or the events of a stream that hold it."""

from collections.abc import Mapping
from typing import Any

from ctxkit.core.chat.items import is_output
from ctxkit.core.chat.shape import mapping, objects, text
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, number, split, told

NAME = "responses"
_CUT: Mapping[str, Reason] = {
    "max_output_tokens": "length", "max_tokens": "length", "content_filter": "content_filter",
    "max_prompt_tokens": "context_exceeded",
}
_STATUS: Mapping[str, Reason] = {
    "completed": "end", "failed": "error", "cancelled": "aborted", "incomplete": "unknown",
}
_OURS = ("function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call")
"""Items that call a tool which the caller runs."""


def read(value: dict[str, Any]) -> Answer | None:
    """Return what a response says, or an event of its stream, None for anything else."""
    event, held = text(value, "type"), mapping(value, "response")
    if event.startswith("response."):
        status = event.removeprefix("response.")
        return _response({"status": status, **held} if status in _STATUS else held) if held else Answer(NAME)
    kind = text(value, "object")
    return _response(value) if kind in ("response", "response.compaction") else None


def _response(value: dict[str, Any]) -> Answer:
    error = mapping(value, "error")
    output = objects(value, "output")
    calls = any(text(item, "type") in _OURS and not is_output(text(item, "type")) for item in output)
    return Answer(
        *(NAME, of(mapping(value, "usage")), _stop(value, output), text(value, "id"), text(value, "model")),
        text(error, "message"),
        calls,
    )


def _stop(value: dict[str, Any], output: list[dict[str, Any]]) -> Stop | None:
    status, cut = text(value, "status"), text(mapping(value, "incomplete_details"), "reason")
    if text(value, "object") == "response.compaction":
        return Stop("compaction", status)
    if status == "incomplete" and cut:
        return Stop(_CUT.get(cut, "unknown"), cut)
    if status == "completed" and any(
        text(part, "type") == "refusal" for item in output for part in objects(item, "content")
    ):
        return Stop("refusal", status)
    code = text(mapping(value, "error"), "code")
    return Stop(_STATUS[status], code or status) if status in _STATUS else None


def of(held: dict[str, Any]) -> Usage | None:
    """Return a usage object in the same words: what comes from a cache is part of the input."""
    read_, output = number(held, "input_tokens"), number(held, "output_tokens")
    if not read_ and not output:
        return None
    details = mapping(held, "input_tokens_details")
    uncached, cached, stored = split(
        read_, number(details, "cached_tokens"), number(details, "cache_write_tokens", "cache_creation_tokens")
    )
    return Usage(uncached, cached, stored, 0, output, told(mapping(held, "output_tokens_details"), "reasoning_tokens"))
