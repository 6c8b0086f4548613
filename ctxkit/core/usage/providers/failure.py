"""Errors that come in place of an answer, as each provider puts them."""

from typing import Any

from ctxkit.core.chat.shape import text
from ctxkit.core.usage.answer import Answer, Stop

_FEW = 3
"""Members that an object has at most which is an error and nothing else."""


def read(value: dict[str, Any]) -> Answer | None:
    """Return what an error says, None for anything else; the provider's word for it is a code, a type or a status."""
    error = value.get("error")
    if isinstance(error, str) and error and len(value) <= _FEW:
        return Answer("ollama", stop=Stop("error"), message=error)
    held = error if isinstance(error, dict) else {}
    if text(value, "type") == "error" and not held:
        held = value
    message = text(held, "message")
    if not message:
        return None
    code = held.get("code")
    raw = code if isinstance(code, str) else text(held, "type") or text(held, "status") or str(code or "")
    return Answer(_source(value, held), stop=Stop("error", raw), message=message)



def _source(value: dict[str, Any], held: dict[str, Any]) -> str:
    if text(value, "type") == "error":
        return "responses" if held is value or "sequence_number" in value else "anthropic"
    if "n_ctx" in held:
        return "llama.cpp"
    if isinstance(held.get("code"), int):
        return "gemini" if "status" in held else "llama.cpp"
    return "openai"
