"""Measure the server for its metrics: requests, queue, processes, memory and stored content."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from time import monotonic

from ctxkit.core.errors import Exit
from ctxkit.core.serve import Metric, RequestMetrics, Sample
from ctxkit.engines.server.call_files import CallFiles
from ctxkit.engines.server.worker_pool import QueueFullError, WorkerError, WorkerPool

STORE_SECONDS = 15.0
"""Seconds for which the size of the store is not measured again."""
ERRORS = ("process_died", "time_limit", "queue_full", "client_left", "shutdown")
"""Reasons of errors that are the server's or the client's, not a command's."""
_STORE_CALL = {"arguments": ["cache", "stat", "--json"], "directory": "", "variables": ""}


class ServerMetrics:
    """The metrics of a server whose calls a pool answers."""

    def __init__(self, pool: WorkerPool, version: str) -> None:
        self._pool, self._version = pool, version
        self.requests = RequestMetrics()
        self.errors: Counter[str] = Counter(dict.fromkeys(ERRORS, 0))
        self.running_requests = 0
        self._stored: int | None = None
        self._measured_at = -STORE_SECONDS

    async def list_metrics(self) -> list[Metric]:
        """Return all metrics; those that this system does not offer have no samples."""
        stored = await self._measure_store()
        return [*self.requests.list_metrics(), *self._list_own(), *self._list_sizes(stored)]

    def _list_own(self) -> Iterator[Metric]:
        pool, name = self._pool, "ctxkit_{}".format
        errors = [Sample(count, {"reason": reason}) for reason, count in self.errors.items()]
        states = {"busy": pool.size - pool.idle_workers, "idle": pool.idle_workers}
        workers = [Sample(count, {"state": state}) for state, count in states.items()]
        yield Metric(name("errors_total"), "counter", "Requests that the server could not answer.", errors)
        yield Metric(
            *(name("retries_total"), "counter", "Requests that were tried again after a process died."),
            [Sample(pool.repeated_calls)],
        )
        yield Metric(
            *(name("worker_replacements_total"), "counter", "Processes that were replaced."),
            [Sample(pool.replaced_workers)],
        )
        yield Metric(name("workers"), "gauge", "Processes that answer requests.", workers)
        yield Metric(
            *(name("queue_length"), "gauge", "Requests that wait for a process."), [Sample(pool.waiting_calls)]
        )
        yield Metric(
            *(name("requests_running"), "gauge", "Requests that are being answered, with this one."),
            [Sample(self.running_requests)],
        )
        yield Metric(name("build_info"), "gauge", "The version of ctxkit.", [Sample(1, {"version": self._version})])

    def _list_sizes(self, stored: int | None) -> Iterator[Metric]:
        own, workers = measure_memory([os.getpid()]), measure_memory(self._pool.process_ids)
        memory = {"server": own, "workers": workers}
        samples = [Sample(size, {"process": process}) for process, size in memory.items() if size]
        help_text = "Resident memory; pages that processes share count once for each."
        yield Metric("ctxkit_resident_memory_bytes", "gauge", help_text, samples)
        help_text = f"Bytes in the store of the server's user, measured every {STORE_SECONDS:g} seconds at most."
        yield Metric("ctxkit_stored_bytes", "gauge", help_text, [] if stored is None else [Sample(stored)])

    async def _measure_store(self) -> int | None:
        """Return the bytes of the store, None if they are not known; an overloaded server does not measure them."""
        if monotonic() - self._measured_at < STORE_SECONDS or not self._pool.idle_workers:
            return self._stored
        self._measured_at = monotonic()
        import orjson

        with closing(CallFiles(is_small=True)) as files:
            try:
                if await self._pool.answer(_STORE_CALL, files) == Exit.DONE:
                    self._stored = int(orjson.loads(b"".join(files.read_output()))["bytes"])
            except (WorkerError, QueueFullError, ValueError, KeyError):
                self._stored = None
        return self._stored


def measure_memory(processes: Iterable[int]) -> int:
    """Return the resident bytes of processes, 0 on a system without /proc."""
    pages = 0
    for process in processes:
        try:
            with open(f"/proc/{process}/statm", "rb") as file:
                pages += int(file.read().split()[1])
        except (OSError, IndexError, ValueError):
            continue
    return pages * os.sysconf("SC_PAGE_SIZE")
