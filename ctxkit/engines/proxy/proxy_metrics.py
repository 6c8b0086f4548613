"""Count what the proxy does, for Prometheus."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ctxkit.core.serve.metrics import Metric, RequestMetrics, Sample
from ctxkit.engines.server.server_metrics import measure_memory
from ctxkit.engines.server.worker_pool import WorkerPool

STEPS = (
    *("gated", "compacted", "hidden_turn", "retried", "refused"),
    *("failed_open", "failed_closed", "upstream_failed"),
)
"""What may become of a request: results were gated, it was compacted, and so on."""


class ProxyMetrics:
    """The metrics of a proxy."""

    def __init__(self, pool: WorkerPool, version: str) -> None:
        self._pool, self._version = pool, version
        self.requests = RequestMetrics()
        self.steps: Counter[str] = Counter(dict.fromkeys(STEPS, 0))
        self.tokens: Counter[str] = Counter(input=0, output=0)
        self.running_requests = 0

    def add_rewrite(self, facts: dict[str, Any]) -> None:
        """Count what was done with a request."""
        self.steps["gated"] += bool(facts.get("gated"))
        self.steps["compacted"] += bool(facts.get("steps"))
        self.steps["refused"] += bool(facts.get("error"))

    def list_metrics(self) -> Iterable[Metric]:
        """Return all metrics."""
        return [*self.requests.list_metrics(), *self._list_own()]

    def _list_own(self) -> Iterator[Metric]:
        steps = [Sample(count, {"step": step}) for step, count in self.steps.items()]
        yield Metric("ctxkit_proxy_steps_total", "counter", "Requests by what the proxy did with them.", steps)
        tokens = [Sample(count, {"kind": kind}) for kind, count in self.tokens.items()]
        yield Metric("ctxkit_proxy_tokens_total", "counter", "Tokens that the upstream counted.", tokens)
        help_text = "Requests that are being answered, with this one."
        yield Metric("ctxkit_requests_running", "gauge", help_text, [Sample(self.running_requests)])
        memory = {"server": measure_memory([os.getpid()]), "workers": measure_memory(self._pool.process_ids)}
        samples = [Sample(size, {"process": process}) for process, size in memory.items() if size]
        help_text = "Resident memory; pages that processes share count once for each."
        yield Metric("ctxkit_resident_memory_bytes", "gauge", help_text, samples)
        yield Metric("ctxkit_build_info", "gauge", "The version of ctxkit.", [Sample(1, {"version": self._version})])
