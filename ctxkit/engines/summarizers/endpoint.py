"""Summarize with a server of OpenAI's Chat Completions API: a cloud, llama-server, vLLM, Ollama, LM Studio."""

import json
import os
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from time import monotonic
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urldefrag, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ctxkit.core.errors import InputOutputError
from ctxkit.core.summary.summary_input import ChatModel

PROMPT_TOKENS = 6_000
"""Default maximum tokens of a prompt, if neither the address nor the server gives a window."""
ANSWER_TOKENS = 1_200
"""Maximum tokens of an answer: more than a filled template takes."""
MAX_PROMPTS = 8
"""Maximum number of prompts per conversation."""
SECONDS = 600
"""Maximum seconds per prompt."""
MAX_BYTES = 4_000_000
"""Maximum bytes of a response; a larger one is not an answer, and may never end."""
OWN_KEY, OPENAI_KEY, OPENAI_HOST = "CTXKIT_API_KEY", "OPENAI_API_KEY", "api.openai.com"
"""Environment variables with keys: OpenAI's key is sent only to OpenAI, ctxkit's key to any address of the user."""
_PATH = "/chat/completions"


def open_chat_model(address: str, environ: Mapping[str, str] = os.environ, seconds: float = SECONDS) -> ChatModel:
    """Return the chat model at an address such as ``http://localhost:8080/v1#qwen3,room=6000``.

    The fragment gives the model's name and the maximum tokens of a prompt. Without a name, use the first model that the
    server lists. Raise InputOutputError if the server cannot be reached.
    """
    base, fragment = urldefrag(address)
    name, room = _parse_fragment(fragment)
    base = base.rstrip("/").removesuffix(_PATH)
    headers = _make_headers(base, environ)
    model, window = (name, 0) if name else _find_first_model(base, headers)
    room = room or max(window - ANSWER_TOKENS, 0) or PROMPT_TOKENS
    return ChatModel(
        lambda prompt: _complete_prompt(base, headers, model, prompt, seconds), room, max_prompts=MAX_PROMPTS
    )


def _parse_fragment(fragment: str) -> tuple[str, int]:
    name, _, more = fragment.partition(",")
    room = more.removeprefix("room=")
    return name, int(room) if room.isdigit() else 0


def _make_headers(base: str, environ: Mapping[str, str]) -> dict[str, str]:
    key = environ.get(OWN_KEY) or (environ.get(OPENAI_KEY) if urlsplit(base).hostname == OPENAI_HOST else "")
    return {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})


def _find_first_model(base: str, headers: Mapping[str, str]) -> tuple[str, int]:
    """Return the first model that a server lists, and its window in tokens, 0 if unknown."""
    response = _send_request(Request(f"{base}/models", headers=dict(headers)), 30)
    models = response.get("data") if isinstance(response, dict) else None
    first = models[0] if isinstance(models, list) and models and isinstance(models[0], dict) else {}
    meta = first.get("meta") if isinstance(first.get("meta"), dict) else {}
    window = first.get("max_model_len") or (meta or {}).get("n_ctx") or 0
    return str(first.get("id", "default")), window if isinstance(window, int) else 0


def _complete_prompt(base: str, headers: Mapping[str, str], model: str, prompt: str, seconds: float) -> str:
    body = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 0,
        "max_tokens": ANSWER_TOKENS,
        "stream": False,
    }
    request = Request(f"{base}{_PATH}", json.dumps(body).encode("utf-8", "replace"), dict(headers))
    response = _send_request(request, seconds)
    try:
        content = response["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise InputOutputError(f"summarizer: {base} gave no answer: {str(response)[:200]}") from None
    return content if isinstance(content, str) else ""


class _RedirectHandler(HTTPRedirectHandler):
    """Follows redirections, but sends the key only to the server that the user named."""

    def redirect_request(self, req: Request, *arguments: Any) -> Request | None:
        """Return the redirected request, without the key if it leads to another server."""
        following = super().redirect_request(req, *arguments)
        if following and urlsplit(following.full_url)[:2] != urlsplit(req.full_url)[:2]:
            following.remove_header("Authorization")
        return following


def _send_request(request: Request, seconds: float) -> Any:
    """Return the JSON of a server's response; raise InputOutputError with the error and the server's message."""
    where = request.full_url
    try:
        with build_opener(_RedirectHandler).open(request, timeout=seconds) as answer:
            return json.loads(_read_body(answer, seconds))
    except HTTPError as error:
        body = error.read(2000).decode("utf-8", "replace").strip()
        raise InputOutputError(f"summarizer: {where}: status {error.code}: {' '.join(body.split())[:200]}") from None
    except URLError as error:
        raise InputOutputError(f"summarizer: {where}: {error.reason}") from None
    except TimeoutError:
        raise InputOutputError(f"summarizer: {where}: no answer in {seconds:g} s") from None
    except (OSError, HTTPException) as error:
        raise InputOutputError(f"summarizer: {where}: {error}") from None
    except ValueError:
        raise InputOutputError(f"summarizer: {where}: the answer is not JSON") from None


def _read_body(answer: HTTPResponse, seconds: float) -> bytes:
    """Return the body of a response; raise TimeoutError or InputOutputError if it does not end."""
    limit, body = monotonic() + seconds, bytearray()
    while chunk := answer.read1(65_536):
        body += chunk
        if len(body) > MAX_BYTES:
            raise InputOutputError(f"summarizer: {answer.url}: more than {MAX_BYTES:,} bytes")
        if monotonic() > limit:
            raise TimeoutError
    return bytes(body)
