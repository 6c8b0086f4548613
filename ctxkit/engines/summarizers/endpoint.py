"""A summary by a server that speaks OpenAI's Chat Completions: a cloud's, llama-server, vLLM, Ollama, LM Studio."""

import json
import os
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from time import monotonic
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urldefrag, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from ctxkit.core.context.voice import Voice
from ctxkit.core.trouble import IOFailed

ROOM = 6_000
"""Tokens of a prompt, when neither the address nor the server says how much the model reads."""
ANSWER = 1_200
"""Tokens that an answer may take: a full template with room to spare."""
MOST = 8
"""Prompts that one conversation is worth."""
SECONDS = 600
"""Seconds that a server may take for one prompt."""
LONGEST = 4_000_000
"""Bytes of a response; a server that sends more does not answer what it was asked, and may never end."""
OWN_KEY, OPENAI_KEY, OPENAI_HOST = "CTXKIT_API_KEY", "OPENAI_API_KEY", "api.openai.com"
"""The keys of the environment: OpenAI's goes to OpenAI alone, ours wherever the user points."""
_PATH = "/chat/completions"


def voice(address: str, environ: Mapping[str, str] = os.environ, seconds: float = SECONDS) -> Voice:
    """Return the voice of the model behind an address such as ``http://localhost:8080/v1#qwen3,room=6000``.

    What follows the # is the model's name, and how many tokens of a prompt it reads; without a name, the first
    model that the server lists is asked. Raises IOFailed when it cannot be reached.
    """
    base, fragment = urldefrag(address)
    name, room = _wanted(fragment)
    base = base.rstrip("/").removesuffix(_PATH)
    headers = _headers(base, environ)
    model, held = (name, 0) if name else _listed(base, headers)
    room = room or max(held - ANSWER, 0) or ROOM
    return Voice(lambda prompt: _asked(base, headers, model, prompt, seconds), room, most=MOST)


def _wanted(fragment: str) -> tuple[str, int]:
    name, _, more = fragment.partition(",")
    room = more.removeprefix("room=")
    return name, int(room) if room.isdigit() else 0


def _headers(base: str, environ: Mapping[str, str]) -> dict[str, str]:
    key = environ.get(OWN_KEY) or (environ.get(OPENAI_KEY) if urlsplit(base).hostname == OPENAI_HOST else "")
    return {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})


def _listed(base: str, headers: Mapping[str, str]) -> tuple[str, int]:
    """Return the first model that a server lists, and the tokens of its window where it tells."""
    found = _sent(Request(f"{base}/models", headers=dict(headers)), 30)
    models = found.get("data") if isinstance(found, dict) else None
    first = models[0] if isinstance(models, list) and models and isinstance(models[0], dict) else {}
    meta = first.get("meta") if isinstance(first.get("meta"), dict) else {}
    window = first.get("max_model_len") or (meta or {}).get("n_ctx") or 0
    return str(first.get("id", "default")), window if isinstance(window, int) else 0


def _asked(base: str, headers: Mapping[str, str], model: str, prompt: str, seconds: float) -> str:
    body = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 0,
        "max_tokens": ANSWER,
        "stream": False,
    }
    request = Request(f"{base}{_PATH}", json.dumps(body).encode("utf-8", "replace"), dict(headers))
    found = _sent(request, seconds)
    try:
        content = found["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise IOFailed(f"summarizer: {base} gave no answer: {str(found)[:200]}") from None
    return content if isinstance(content, str) else ""


class _KeepingKey(HTTPRedirectHandler):
    """Follow a redirection, but send the key nowhere else than to the server that the user named."""

    def redirect_request(self, req: Request, *given: Any) -> Request | None:
        """Return the request that a redirection asks for, without the key where it leads to another server."""
        following = super().redirect_request(req, *given)
        if following and urlsplit(following.full_url)[:2] != urlsplit(req.full_url)[:2]:
            following.remove_header("Authorization")
        return following


def _sent(request: Request, seconds: float) -> Any:
    """Return the JSON that a server answers; raises IOFailed with what went wrong, and its own words."""
    where = request.full_url
    try:
        with build_opener(_KeepingKey).open(request, timeout=seconds) as answer:
            return json.loads(_read(answer, seconds))
    except HTTPError as error:
        said = error.read(2000).decode("utf-8", "replace").strip()
        raise IOFailed(f"summarizer: {where}: status {error.code}: {' '.join(said.split())[:200]}") from None
    except URLError as error:
        raise IOFailed(f"summarizer: {where}: {error.reason}") from None
    except TimeoutError:
        raise IOFailed(f"summarizer: {where}: no answer in {seconds:g} s") from None
    except (OSError, HTTPException) as error:
        raise IOFailed(f"summarizer: {where}: {error}") from None
    except ValueError:
        raise IOFailed(f"summarizer: {where}: the answer is not JSON") from None


def _read(answer: HTTPResponse, seconds: float) -> bytes:
    """Return the body of a response; raises TimeoutError or IOFailed where there is no end of it."""
    limit, held = monotonic() + seconds, bytearray()
    while chunk := answer.read1(65_536):
        held += chunk
        if len(held) > LONGEST:
            raise IOFailed(f"summarizer: {answer.url}: more than {LONGEST:,} bytes")
        if monotonic() > limit:
            raise TimeoutError
    return bytes(held)
