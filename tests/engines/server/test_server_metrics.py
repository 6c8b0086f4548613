import asyncio
import os
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ctxkit.core.serve import format_metrics
from ctxkit.engines.server import server_metrics
from ctxkit.engines.server.server_metrics import ServerMetrics
from ctxkit.engines.server.worker_pool import WorkerPool


def answer(call: dict, _report_session) -> int:
    """Answer the size of the store, which grows with each call."""
    assert call["arguments"] == ["cache", "stat", "--json"]
    os.write(1, b'{"bytes": 1234}' if not os.environ.get("BROKEN") else b"no JSON")
    return 0


def measure(times: int = 1) -> dict[tuple[str, ...], float]:
    """Return the samples of a pool of two by name and labels, of the last of some measurements."""

    async def run() -> str:
        pool = WorkerPool(answer, 2, 10)
        try:
            metrics = ServerMetrics(pool, "1.0")
            for _ in range(times):
                text = format_metrics(await metrics.list_metrics())
            return text
        finally:
            pool.end()

    families = text_string_to_metric_families(asyncio.run(run()))
    return {(sample.name, *sample.labels.values()): sample.value for family in families for sample in family.samples}


def test_an_idle_server_is_described() -> None:
    samples = measure()
    assert samples[("ctxkit_workers", "idle")] == 2
    assert samples[("ctxkit_workers", "busy")] == samples[("ctxkit_queue_length",)] == 0
    assert samples[("ctxkit_build_info", "1.0")] == 1
    assert samples[("ctxkit_stored_bytes",)] == 1234
    assert {reason for name, *labels in samples if name == "ctxkit_errors_total" for reason in labels} == set(server_metrics.ERRORS)


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of processes is read from /proc")
def test_memory_is_that_of_the_server_and_of_its_processes() -> None:
    samples = measure()
    assert 1e6 < samples[("ctxkit_resident_memory_bytes", "server")] < 1e10
    assert 1e6 < samples[("ctxkit_resident_memory_bytes", "workers")] < 1e10


def test_a_store_that_cannot_be_measured_has_no_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROKEN", "1")
    assert ("ctxkit_stored_bytes",) not in measure(2)
