"""The requests that the proxy reads, by their paths.

Sources: OpenAI API reference, "Chat" and "Responses"; Anthropic "Messages" and "Count Message tokens"; Gemini API
"models.generateContent"; Ollama docs/api.md, "Generate a chat completion" (all 2026-11).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.text.json_value import JsonValue


class ModelApi(NamedTuple):
    """An API: the format of its conversations, the member that contains them, and the end of its path.

    ``output_limits`` are the members with the number of tokens that the answer may have, if the API refuses a request
    whose window cannot hold them too. A request that ``counts_only`` has no answer of a model.
    """

    name: str
    format: str
    messages: str
    path: re.Pattern[str]
    output_limits: tuple[str, ...] = ()
    counts_only: bool = False


APIS: Sequence[ModelApi] = (
    ModelApi(
        *("openai", "openai", "messages", re.compile(r"/chat/completions")),
        output_limits=("max_completion_tokens", "max_tokens"),
    ),
    ModelApi("responses", "responses", "input", re.compile(r"/responses"), ("max_output_tokens",)),
    ModelApi("anthropic", "anthropic", "messages", re.compile(r"/messages"), ("max_tokens",)),
    ModelApi("anthropic", "anthropic", "messages", re.compile(r"/messages/count_tokens"), counts_only=True),
    ModelApi("gemini", "gemini", "contents", re.compile(r"/models/([^/:]+):(?:generate|streamGenerate)Content")),
    ModelApi("ollama", "openai", "messages", re.compile(r"/api/chat")),
)
"""All APIs. The window of Gemini does not contain the answer, and Ollama shortens it by itself."""


def find_api(method: str, path: str) -> ModelApi | None:
    """Return the API of a request, None if the proxy does not read it."""
    if method != "POST":
        return None
    path = path.rstrip("/")
    return next((api for api in APIS if any(match.end() == len(path) for match in api.path.finditer(path))), None)


def read_model(api: ModelApi, path: str, request: dict[str, JsonValue]) -> str:
    """Return the name of the model that a request asks, "" if it names none; Gemini has it in the path."""
    match = api.path.search(path)
    return match[1] if match and match.groups() else get_text(request, "model")


def has_state_at_provider(api: ModelApi, request: dict[str, JsonValue]) -> bool:
    """Return whether the provider keeps the conversation that a request continues, or is asked to keep it."""
    if api.name != "responses":
        return False
    return bool(request.get("previous_response_id") or request.get("conversation")) or request.get("store") is True


def read_ollama_window(api: ModelApi, request: dict[str, JsonValue]) -> int:
    """Return the window that a request to Ollama asks for, 0 if it leaves it to the server."""
    options = request.get("options")
    size = options.get("num_ctx") if api.name == "ollama" and isinstance(options, dict) else None
    return size if isinstance(size, int) and not isinstance(size, bool) and size > 0 else 0
