"""How the proxy treats requests, and what it knows of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ctxkit.core.proxy.model_apis import ModelApi
from ctxkit.core.proxy.upstream_window import UpstreamFacts
from ctxkit.core.serve.metrics import RequestRecord
from ctxkit.engines.proxy.upstream import Header


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
