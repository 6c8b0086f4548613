"""Errors instead of an answer, in the form of each provider."""

from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.usage.answer import Answer, Stop

_MAX_MEMBERS = 3
"""Maximum number of members of an object that contains only an error."""


def read(value: dict[str, JsonValue]) -> Answer | None:
    """Return the error in a value, None for any other value; its term is a code, a type or a status."""
    error = value.get("error")
    if isinstance(error, str) and error and len(value) <= _MAX_MEMBERS:
        return Answer("ollama", stop=Stop("error"), message=error)
    fields = error if isinstance(error, dict) else {}
    if get_text(value, "type") == "error" and not fields:
        fields = value
    message = get_text(fields, "message")
    if not message:
        return None
    code = fields.get("code")
    raw = code if isinstance(code, str) else get_text(fields, "type") or get_text(fields, "status") or str(code or "")
    return Answer(_guess_source(value, fields), stop=Stop("error", raw), message=message)


def _guess_source(value: dict[str, JsonValue], fields: dict[str, JsonValue]) -> str:
    if get_text(value, "type") == "error":
        return "responses" if fields is value or "sequence_number" in value else "anthropic"
    if "n_ctx" in fields:
        return "llama.cpp"
    if isinstance(fields.get("code"), int):
        return "gemini" if "status" in fields else "llama.cpp"
    return "openai"
