"""The requests that the proxy reads, errors in the form of each API, the window of a server, and what was compacted.

Sources (2026-11): llama.cpp tools/server/README.md, "GET /props" (``default_generation_settings.n_ctx``, the window of
one slot); vLLM's list of models (``max_model_len``); OpenRouter's (``context_length``); Ollama docs/api.md, "List
running models" (``context_length``) and "Show model information" (``parameters``, with ``num_ctx`` if it is set).
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from json import loads
from typing import NamedTuple

from ctxkit.core.chat.editing import dump_json
from ctxkit.core.chat.model.json_fields import get_number, get_object, get_objects, get_text
from ctxkit.core.chat.reading.transcript import Transcript, parse_changed
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


_REFUSING_STATUSES = (400, 413, 422, 500)
"""Statuses of HTTP with which providers refuse a request that is too long; old releases of llama.cpp have 500."""
MAX_ERROR = 1 << 16
"""Bytes of an error that are searched."""
_TOO_LONG = re.compile(
    rb"maximum context length|context_length_exceeded|exceeds the context window|prompt is too long"
    rb"|exceed context limit|exceeds the available context size|exceed_context_size_error|exceed context window"
    rb"|input token count[^.]{0,40}exceeds the maximum",
    re.IGNORECASE,
)
_WINDOW = re.compile(
    rb"maximum context length is (\d{3,9})|\"n_ctx\" ?: ?(\d{3,9})|exceed context window of (\d{3,9})"
    rb"|tokens > (\d{3,9}) maximum|number of tokens allowed \((\d{3,9})\)",
    re.IGNORECASE,
)


def is_context_error(status: int, body: bytes) -> bool:
    """Return whether a provider refuses a request because it is longer than the window."""
    return status in _REFUSING_STATUSES and _TOO_LONG.search(body[:MAX_ERROR]) is not None


def read_window_limit(body: bytes) -> int:
    """Return the window that such an error names, 0 if it names none."""
    match = _WINDOW.search(body[:MAX_ERROR])
    return int(next(group for group in match.groups() if group)) if match else 0


def make_size_error(api: str, tokens: int, window: int) -> JsonValue:
    """Return the error of an API for a request that is longer than the window; hosts know the words."""
    if api == "anthropic":
        return make_error(api, 400, f"prompt is too long: {tokens} tokens > {window} maximum", "invalid_request_error")
    if api == "gemini":
        message = f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window})."
        return make_error(api, 400, message, "INVALID_ARGUMENT")
    limit = f"This model's maximum context length is {window} tokens."
    message = f"{limit} However, your messages resulted in {tokens} tokens."
    return make_error(api, 400, message, "context_length_exceeded")


def make_error(api: str, status: int, message: str, code: str) -> JsonValue:
    """Return an error in the form of an API; "" is any other."""
    if api == "anthropic":
        return {"type": "error", "error": {"type": code, "message": message}}
    if api == "gemini":
        return {"error": {"code": status, "message": message, "status": code}}
    if api == "ollama":
        return {"error": message}
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


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
    return UpstreamFacts(_find_listed_window(question, answer, model))


def _find_listed_window(question: Question, answer: dict[str, JsonValue], model: str) -> int:
    """Return the window of a model in a list of models, or that of the only one, 0 if none is stated."""
    listed = get_objects(answer, "models" if question == RUNNING else "data")
    named = [item for item in listed if model and model in (get_text(item, "id"), get_text(item, "name"))]
    only = listed if len(listed) == 1 and question == MODELS else []
    sizes = (get_number(item, member) for item in (*named, *only) for member in _MEMBERS)
    return next(filter(None, sizes), 0)


CACHE_MARK = "cache_control"
_LENGTH = 16
"""Bytes of a hash."""
MIN_MESSAGES = 2
"""Messages that identify a conversation: all conversations of an agent may begin with the same system message."""


class Boundary(NamedTuple):
    """The number of ``covered`` messages, and the JSON texts of the messages that replace them."""

    covered: int
    entries: tuple[str, ...]

    def list_messages(self) -> list[JsonValue]:
        """Return the messages that replace the covered ones."""
        return [loads(text) for text in self.entries]


def replace_prefix(transcript: Transcript, boundary: Boundary) -> Transcript:
    """Return a request whose first messages are replaced; all other characters stay."""
    text, (begin, end) = transcript.text, transcript.inner
    later = transcript.records[boundary.covered :]
    kept = [text[later[0].start : end - 1]] if later else []
    changed = f"{text[:begin]}[{','.join((*boundary.entries, *kept))}]{text[end:]}"
    return parse_changed(transcript.encode(changed), "the request", transcript)


def find_replacement(before: Transcript, after: Transcript, least: int) -> Boundary:
    """Return how many messages of ``before`` a compaction covers, ``least`` at least, and what replaces them.

    All messages from there on are the same before and after.
    """
    raw_before, raw_after = (list(map(talk.get_raw, talk.records)) for talk in (before, after))
    limit = min(len(raw_before) - least, len(raw_after))
    same = 0
    while same < limit and raw_before[-1 - same] == raw_after[-1 - same]:
        same += 1
    return Boundary(len(raw_before) - same, tuple(map(remove_marks, raw_after[: len(raw_after) - same])))


def remove_marks(text: str) -> str:
    """Return a message without marks of the prompt cache: the client marks other messages later."""
    return dump_json(remove_cache_marks(loads(text))) if CACHE_MARK in text else text


def hash_messages(
    messages: Sequence[JsonValue], dump: Callable[[JsonValue], bytes], *, may_have_marks: bool = True
) -> list[bytes]:
    """Return a hash for each message; marks of the prompt cache, which clients move, do not change it.

    Messages that cannot have marks (``may_have_marks``) are not searched for them.
    """
    plain = map(remove_cache_marks, messages) if may_have_marks else messages
    return [blake2b(dump(message), digest_size=_LENGTH).digest() for message in plain]


def hash_prefixes(place: str, digests: Sequence[bytes]) -> list[str]:
    """Return a name for each prefix of a conversation, the shortest first; a ``place`` has names of its own."""
    return list(_chain(place, digests))


def _chain(place: str, digests: Sequence[bytes]) -> Iterator[str]:
    state = place.encode()
    for digest in digests:
        state = blake2b(state + digest, digest_size=_LENGTH).digest()
        yield state.hex()


def remove_cache_marks(message: JsonValue) -> JsonValue:
    """Return a message without the marks of Anthropic's prompt cache on it and on its blocks."""
    if not isinstance(message, dict):
        return message
    content = message.get("content")
    if isinstance(content, list) and any(map(_is_marked, content)):
        message = {**message, "content": [_unmark(block) for block in content]}
    return _unmark(message)


def _is_marked(value: JsonValue) -> bool:
    if not isinstance(value, dict):
        return False
    inner = value.get("content") if get_text(value, "type") == "tool_result" else None
    return CACHE_MARK in value or (isinstance(inner, list) and any(map(_is_marked, inner)))


def _unmark(value: JsonValue) -> JsonValue:
    if not _is_marked(value):
        return value
    kept = {key: member for key, member in value.items() if key != CACHE_MARK}
    if get_text(value, "type") == "tool_result" and isinstance(value.get("content"), list):
        kept["content"] = [_unmark(block) for block in value["content"]]
    return kept
