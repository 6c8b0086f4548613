"""Whether the types of the official SDKs take a request: those of openai, anthropic, google-genai and ollama."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from bench.compact.packages import importing


def find_refusal(shape: str, request: dict[str, Any]) -> str:
    """Return what the types of an API's SDK say against a whole request, "" if they take it."""
    from pydantic import ValidationError

    try:
        _exhaust(_load_validators()[shape](json.loads(json.dumps(request))))
    except ValidationError as error:
        return " ".join(f"{error.title} {error.errors()[0]['loc']}: {error.errors()[0]['msg']}".split())[:300]
    except (AttributeError, ValueError) as error:  # google-genai raises these for an unknown type of a schema
        return str(error)[:300]
    return ""


def _exhaust(value: Any) -> None:
    """Read a validated value to its end: pydantic checks the items of an iterable when they are read."""
    if isinstance(value, dict):
        for member in value.values():
            _exhaust(member)
    elif not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):
        for item in value:
            _exhaust(item)


@cache
def _load_validators() -> dict[str, Callable[[Any], Any]]:
    """Return a function for each API that returns a request as its SDK's types read it, or raises ValidationError."""
    with importing("openai", "anthropic", "google-genai", "ollama"):
        from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
        from google.genai import types
        from ollama._types import ChatRequest
        from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
        from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
        from pydantic import TypeAdapter

    def validate_gemini(request: dict[str, Any]) -> Any:
        """Validate contents, system instruction, tools and settings; the SDK knows no members beside them."""
        settings = request.get("generationConfig", {})
        members = {name: request[name] for name in ("systemInstruction", "tools", "toolConfig") if name in request}
        types.GenerateContentConfig.model_validate({**settings, **members})
        return TypeAdapter(list[types.Content]).validate_python(request["contents"])

    return {
        "openai": TypeAdapter(CompletionCreateParamsNonStreaming).validate_python,
        "responses": TypeAdapter(ResponseCreateParamsNonStreaming).validate_python,
        "anthropic": TypeAdapter(MessageCreateParamsNonStreaming).validate_python,
        "gemini": validate_gemini,
        "ollama": ChatRequest.model_validate,
    }
