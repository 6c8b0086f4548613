"""OpenAI Responses: a response, or the stream events that contain it."""

from collections.abc import Mapping

from ctxkit.core.chat.formats.responses import is_output
from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Reason, Stop, Usage, read_number, read_optional_number, subtract_parts

NAME = "responses"
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


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the metadata of a response or of a stream event, None for any other value."""
    event, response = get_text(value, "type"), get_object(value, "response")
    if event.startswith("response."):
        status = event.removeprefix("response.")
        return (
            _read_response({"status": status, **response} if status in _STATUS else response)
            if response
            else Answer(NAME)
        )
    kind = get_text(value, "object")
    return _read_response(value) if kind in ("response", "response.compaction") else None


def _read_response(value: dict[str, JsonValue]) -> Answer:
    error = get_object(value, "error")
    output = get_objects(value, "output")
    calls = any(get_text(item, "type") in _CALLER_TOOLS and not is_output(get_text(item, "type")) for item in output)
    return Answer(
        *(
            NAME,
            read_usage(get_object(value, "usage")),
            _read_stop(value, output),
            get_text(value, "id"),
            get_text(value, "model"),
        ),
        get_text(error, "message"),
        calls,
    )


def _read_stop(value: dict[str, JsonValue], output: list[dict[str, JsonValue]]) -> Stop | None:
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


def read_usage(fields: dict[str, JsonValue]) -> Usage | None:
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
