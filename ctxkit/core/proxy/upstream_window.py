"""Read the size of the context window from what a model server says about itself.

Sources (2026-11): llama.cpp tools/server/README.md, "GET /props" (``default_generation_settings.n_ctx``, the window of
one slot); vLLM's list of models (``max_model_len``); OpenRouter's (``context_length``); Ollama docs/api.md, "List
running models" (``context_length``) and "Show model information" (``parameters``, with ``num_ctx`` if it is set).
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import get_number, get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue

_NUM_CTX = re.compile(r"^num_ctx[ \t]+(\d{1,9})[ \t\r]*$", re.MULTILINE)
_MEMBERS = ("max_model_len", "context_length", "context_window", "max_context_length")
"""Members of a model in a list of models, the window that is served before the one that the model could have."""


class UpstreamFacts(NamedTuple):
    """What the server of a model says: the window in tokens, 0 if it does not say, and the path of a GGUF file.

    ``limits`` are the windows with which it has refused requests, by model.
    """

    window: int = 0
    weights: str = ""
    limits: Mapping[str, int] = {}


class Question(NamedTuple):
    """A request that asks a server for its window, with a body if it is posted."""

    path: str
    is_posted: bool = False


PROPS, MODELS, RUNNING = Question("/props"), Question("/v1/models"), Question("/api/ps")
SHOW = Question("/api/show", is_posted=True)
QUESTIONS: Mapping[str, tuple[Question, ...]] = {
    "openai": (PROPS, MODELS),
    "responses": (PROPS, MODELS),
    "anthropic": (PROPS, MODELS),
    "ollama": (RUNNING, SHOW),
    "gemini": (),
}
"""The questions by the API of a request, in order; the first answer with a window counts."""


def read_facts(question: Question, answer: JsonValue, model: str) -> UpstreamFacts:
    """Return what the answer to a question says about a model."""
    if not isinstance(answer, dict):
        return UpstreamFacts()
    if question == PROPS:
        window = get_number(get_object(answer, "default_generation_settings"), "n_ctx")
        return UpstreamFacts(window, get_text(answer, "model_path") if window else "")
    if question == SHOW:
        match = _NUM_CTX.search(get_text(answer, "parameters"))
        return UpstreamFacts(int(match[1]) if match else 0)
    listed = get_objects(answer, "models" if question == RUNNING else "data")
    named = [item for item in listed if model and model in (get_text(item, "id"), get_text(item, "name"))]
    only = listed if len(listed) == 1 and question == MODELS else []
    sizes = (get_number(item, member) for item in (*named, *only) for member in _MEMBERS)
    return UpstreamFacts(next(filter(None, sizes), 0))
