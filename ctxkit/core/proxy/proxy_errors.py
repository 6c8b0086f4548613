"""Errors in the form of each API, and the errors with which providers refuse a request that is too long.

Sources of the wording: OpenAI and vLLM "This model's maximum context length is N tokens", "context_length_exceeded";
OpenAI Responses "Your input exceeds the context window of this model"; Anthropic "prompt is too long: N tokens > M
maximum", "input length and `max_tokens` exceed context limit"; llama.cpp "exceeds the available context size",
``exceed_context_size_error`` with ``n_ctx`` (ggml-org/llama.cpp pull request 15780); llama-cpp-python "Requested tokens
(N) exceed context window of M"; Gemini "The input token count (N) exceeds the maximum number of tokens allowed (M)".
"""

import re

from ctxkit.core.text.json_value import JsonValue

REFUSING_STATUSES = (400, 413, 422, 500)
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
    return status in REFUSING_STATUSES and _TOO_LONG.search(body[:MAX_ERROR]) is not None


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
