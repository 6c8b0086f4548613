"""How the proxy treats requests, and what it knows of one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, NamedTuple

import orjson

from ctxkit.core.proxy.model_apis import QUESTIONS, SHOW, ModelApi, UpstreamFacts, read_facts, read_model
from ctxkit.core.serve import RequestRecord
from ctxkit.core.text.limits import EDITABLE
from ctxkit.engines.proxy.upstream import Header, Upstream
from ctxkit.engines.server.call_files import CallFiles


class ProxyPolicy(NamedTuple):
    """How the proxy treats requests.

    ``token`` is what each request must carry, "" for none. A request that cannot be rewritten fails if ``is_closed``,
    else it passes as it came. ``masks`` is true if secrets are masked. If ``is_dry``, what would change is only logged.
    ``asks_window`` is true if the upstream is asked for its window. ``report`` is called with each request.
    """

    token: str
    version: str
    is_closed: bool
    masks: bool
    is_dry: bool
    asks_window: bool
    log: Callable[[str], None]
    report: Callable[[RequestRecord], None] | None = None


class RequestPlan(NamedTuple):
    """A request to send: its API, its path, its address and headers, and the report of its rewriting."""

    api: ModelApi | None
    path: str
    method: str
    url: str
    headers: Sequence[Header]
    facts: UpstreamFacts = UpstreamFacts()
    report: dict[str, Any] = {}  # noqa: RUF012 - a default of a named tuple, which nobody changes


_FACTS_SECONDS, _FAILED_SECONDS = 600.0, 60.0
"""Seconds for which an answer with a window holds, and one without."""
_MOST_MODELS = 100
_CREDENTIALS = (b"authorization", b"x-api-key", b"x-goog-api-key")


class WindowFinder:
    """Finds the windows of models; the key of a request is sent with the question, to the same server."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._facts: dict[tuple[str, str], tuple[float, UpstreamFacts]] = {}

    async def find(self, plan: RequestPlan, files: CallFiles) -> UpstreamFacts:
        """Return what the upstream says of the model of a request; nothing if it says nothing."""
        api = plan.api
        if api is None or files.size > EDITABLE:
            return UpstreamFacts()
        model = _peek_model(api, plan.path, files)
        known = self._facts.get((api.name, model))
        if known is not None and monotonic() < known[0]:
            return known[1]
        credentials = [(name, value) for name, value in plan.headers if name.lower() in _CREDENTIALS]
        facts = UpstreamFacts()
        for question in QUESTIONS[api.name]:
            body = orjson.dumps({"model": model}) if question == SHOW else None
            answer = await self._upstream.ask(question.path, body, credentials)
            with suppress(orjson.JSONDecodeError):
                facts = read_facts(question, orjson.loads(answer or b"null"), model)
            if facts.window:
                break
        if not (self._upstream.is_local and facts.weights.endswith(".gguf") and os.path.isfile(facts.weights)):
            facts = facts._replace(weights="")
        seconds = _FACTS_SECONDS if facts.window else _FAILED_SECONDS
        if len(self._facts) > _MOST_MODELS:
            self._facts.clear()
        self._facts[api.name, model] = monotonic() + seconds, facts
        return facts


def _peek_model(api: ModelApi, path: str, files: CallFiles) -> str:
    """Return the model that a request names, "" if it is not JSON."""
    data = os.pread(files.input, files.size, 0)
    with suppress(orjson.JSONDecodeError):
        value = orjson.loads(data)
        return read_model(api, path, value) if isinstance(value, dict) else ""
    return ""
