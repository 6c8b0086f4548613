"""Ask a server for its models and their windows: llama.cpp, vLLM, Ollama, LM Studio, or a registry's API."""

import json
from http.client import HTTPException, InvalidURL
from time import monotonic
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, build_opener

from ctxkit.core.errors import InputOutputError, UsageError
from ctxkit.core.redaction.masking import hide_keys

MAX_BYTES = 16_000_000
"""Maximum bytes of a response; models.dev has 2 MB."""
SECONDS = 20
"""Maximum seconds for a response."""
_MODELS = "/v1/models"
_RUNNING = ("/props", "/api/ps", "/api/v0/models")
"""Paths of llama.cpp, Ollama and LM Studio that state the windows with which models run."""


def fetch_models(address: str) -> list[Any]:
    """Return the JSON values that state a server's models, the one that states running windows last.

    An address with a path is asked as it is, except for that of the API. Raise UsageError if it is no address,
    InputOutputError if the server does not answer; their messages have no key of the address.
    """
    try:
        parts = urlsplit(address)
        host, path = parts.hostname, parts.path.rstrip("/")
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https"):
        raise UsageError(f"{hide_keys(address)} is not the address of a server", hint="as in http://localhost:8080")
    if "@" in parts.netloc:
        message = f"{hide_keys(address)}: a user in the address is not supported"
        raise UsageError(message, hint="save the answer, and pass its file")
    base = path.removesuffix("/models").removesuffix("/v1")
    if base or parts.query:
        return [_fetch(address)]
    root = f"{parts.scheme}://{parts.netloc}"
    first = _fetch(f"{root}{_MODELS}")
    return [first, *filter(None, (_fetch_optional(f"{root}{path}") for path in _RUNNING))]


def _fetch_optional(address: str) -> Any:
    """Return what an address answers, None if the server does not know it."""
    try:
        return _fetch(address)
    except InputOutputError:
        return None


def _fetch(address: str) -> Any:
    request = Request(address, headers={"Accept": "application/json", "User-Agent": "ctxkit"})
    try:
        return json.loads(_read_body(request))
    except HTTPError as error:
        reason = f"status {error.code}"
    except URLError as error:
        reason = str(getattr(error.reason, "strerror", None) or error.reason)
    except TimeoutError:
        reason = f"no answer in {SECONDS} s"
    except InvalidURL:  # its message quotes the address
        reason = "the address is not valid"
    except (OSError, HTTPException) as error:
        reason = str(getattr(error, "strerror", None) or error)
    except (ValueError, RecursionError):
        reason = "the answer is not JSON"
    raise InputOutputError(f"{hide_keys(address)}: {reason}")


def _read_body(request: Request) -> bytes:
    limit, body = monotonic() + SECONDS, bytearray()
    with build_opener().open(request, timeout=SECONDS) as answer:
        while chunk := answer.read1(65_536):
            body += chunk
            if len(body) > MAX_BYTES:
                raise InputOutputError(f"{hide_keys(request.full_url)}: more than {MAX_BYTES:,} bytes")
            if monotonic() > limit:
                raise TimeoutError
    return bytes(body)
