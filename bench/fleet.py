"""The shared store and ledger: beside redis-cli and ``import click``, and with a hundred agents at once."""

import multiprocessing
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from math import ceil
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from select import select
from threading import Thread
from time import perf_counter, sleep
from typing import Any

from bench.corpus import short_text
from bench.figure import Figure, ms
from bench.place import Place
from bench.process import Run, interleave, run
from bench.servers import await_answer, find_port
from ctxkit.core.session.account import SessionReservation
from ctxkit.core.session.ledger import LedgerEntry, Session
from ctxkit.core.session.ledger_interface import ConditionalEntry
from ctxkit.core.store.address import parse_address
from ctxkit.core.store.label import Label
from ctxkit.core.store.store_interface import store_content
from ctxkit.core.tokens.budget import Budget
from ctxkit.engines.redis_ledger import RedisLedger
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.redis_store import RedisStore

SUITE = "fleet"
SIZE = 10_000
AGENTS, GATES = 100, 50
TOKENS = 100
WINDOW = 10**9


def figures(place: Place) -> Iterator[Figure]:
    """Yield the cost of single calls, then the throughput of many agents."""
    programs = [shutil.which(name) for name in ("redis-server", "redis-cli")]
    if not all(programs) or find_spec("redis") is None:
        yield Figure(SUITE, "skipped", "redis-server, redis-cli or the library redis is not installed")
        return
    with _run_server(place) as port:
        yield from _compare_calls(place, port)
        yield from _count_trips(place, port)
        for what, shared in (("own sessions", False), ("one session", True)):
            yield _measure_agents(place, port, what, is_shared=shared)
        yield from _measure_server(place, port)


@contextmanager
def _run_server(place: Place) -> Iterator[int]:
    """Run a server that saves nothing, and yield its port."""
    port = find_port()
    words = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", place.path("")]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as server:
        try:
            await_answer(lambda: socket.create_connection(("127.0.0.1", port), 0.2).close())
            yield port
        finally:
            server.terminate()


def _compare_calls(place: Place, port: int) -> Iterator[Figure]:
    """Yield the time of a call that stores, reads or keeps account, beside redis-cli and ``import click``."""
    data, client = short_text(SIZE), ["redis-cli", "-p", str(port)]
    os.environ["CTXKIT_STORE"] = f"redis://127.0.0.1:{port}"
    try:
        ref = run([*place.ctxkit, "cache", "put"], data=data, keep=True).out.decode().strip()
        get = [*place.ctxkit, "cache", "get", ref]
        assert run(get, keep=True).out == data
        run([*place.ctxkit, "session", "new", "bench", "--window", str(WINDOW), "--tokenizer", "bytes/3"])
        gate = [*place.ctxkit, "gate", "--session", "bench", "--again"]
        runs: list[Run] = [
            partial(run, [sys.executable, "-c", "import click"]),
            partial(run, [sys.executable, "-c", "import click, redis"]),
            partial(run, [*client, "-x", "SET", "bench"], data=data),
            partial(run, [*client, "GET", "bench"]),
            partial(run, [*place.ctxkit, "cache", "put"], data=data),
            partial(run, get),
            partial(run, gate, data=data),
        ]
        click, library, write, read, *timed = interleave(runs, place.times(21))
    finally:
        del os.environ["CTXKIT_STORE"]
    figure = f"{ms(library.wall)} / {ms(click.wall)} import click"
    yield Figure(SUITE, "import click, redis", figure, library.wall / click.wall)
    names = (("cache put", write, "SET"), ("cache get", read, "GET"), ("gate under a session", write, "SET"))
    for (what, floor, name), ours in zip(names, timed, strict=True):
        figure = f"{ms(ours.wall)} / {ms(click.wall)} import click"
        yield Figure(SUITE, f"{what}, 10 KB", figure, ours.wall / click.wall)
        figure = f"{ms(ours.wall)} / {ms(floor.wall)} redis-cli {name}"
        yield Figure(SUITE, f"{what}, 10 KB", figure, ours.wall / floor.wall)


class TripCounter:
    """A proxy before a server that counts round trips: requests that follow an answer, or the connection."""

    def __init__(self, port: int) -> None:
        self._upstream, self.trips = port, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            client, _ = self._listener.accept()
            Thread(target=self._relay, args=(client,), daemon=True).start()

    def _relay(self, client: socket.socket) -> None:
        """Pass bytes on in both directions until one side closes."""
        with client, socket.create_connection(("127.0.0.1", self._upstream)) as server:
            is_answered = True
            while True:
                for source in select([client, server], [], [])[0]:
                    data = source.recv(1 << 16)
                    if not data:
                        return
                    self.trips += source is client and is_answered
                    is_answered = source is server
                    (server if source is client else client).sendall(data)


def _count_trips(place: Place, port: int) -> Iterator[Figure]:
    """Yield the round trips of calls under a session, after a first one that makes the server know the scripts."""
    proxy, data = TripCounter(port), short_text(SIZE)
    gate = [*place.ctxkit, "gate", "--session", "trips", "--store", f"redis://127.0.0.1:{proxy.port}"]
    run([*gate, "--window", str(WINDOW), "--tokenizer", "bytes/3"], data=data)
    alone = [*place.ctxkit, "gate", "--window", str(WINDOW), "--tokenizer", "bytes/3", *gate[-2:]]
    calls = {
        "gate without a session": (alone, data),
        "gate under a session that compares with nothing": ([*gate, "--again"], data),
        "gate under a session, new content": (gate, b"new\n" + data),
        "gate under a session, repeated content": (gate, data),
    }
    for what, (words, content) in calls.items():
        run(words, data=content)
        before = proxy.trips
        run(words, data=content + b"." * (what.endswith("new content")))
        yield Figure(SUITE, f"round trips: {what}", f"{proxy.trips - before}")


def _measure_agents(place: Place, port: int, what: str, *, is_shared: bool) -> Figure:
    """Return the throughput of agents that each gate many results in a warm process; the sums must be exact."""
    agents, gates = place.size(AGENTS), place.size(GATES)
    context = multiprocessing.get_context("fork")
    results: SimpleQueue[list[float]] = context.SimpleQueue()
    start = context.Event()
    names = [f"{what} 0" if is_shared else f"{what} {number}" for number in range(agents)]
    workers = [
        context.Process(target=_run_agent, args=(port, name.replace(" ", "-"), gates, start, results)) for name in names
    ]
    for worker in workers:
        worker.start()
    sleep(1)
    began = perf_counter()
    start.set()
    times = sorted(seconds for _ in workers for seconds in results.get())
    elapsed = perf_counter() - began
    for worker in workers:
        worker.join()
    used = _sum_used(port, {name.replace(" ", "-") for name in names})
    middle, slow = times[len(times) // 2], times[ceil(len(times) * 0.99) - 1]
    figure = f"{len(times) / elapsed:,.0f} gates/s, p50 {ms(middle)}, p99 {ms(slow)}"
    exact = used == agents * gates * TOKENS
    notes = ("each gate is one script that checks, reserves and records, in a process that has started already",)
    return Figure(SUITE, f"{agents} agents x {gates} gates, {what}", figure, None, "exact sums", exact, notes)


def _measure_server(place: Place, port: int) -> Iterator[Figure]:
    """Yield what one server needs for a gate, a session and a blob: seconds of CPU and bytes of memory."""
    server, ledger, gates = _open_server(port), _open_ledger(port), place.size(5_000)
    entry, memory = LedgerEntry("log", TOKENS, "exact", "raw"), 0.0
    for what, gate in (("in one trip", _gate_in_one_trip), ("that asks first", _gate_once)):
        sessions = [Session(f"{what} {number}".replace(" ", "-"), WINDOW, 0) for number in range(-(-gates // GATES))]
        before = _read_load(server)
        for session in sessions:
            ledger.add(session)
        for number in range(gates):
            gate(ledger, sessions[number // GATES], entry)
        after = _read_load(server)
        cpu, memory = (after[0] - before[0]) / gates, (after[1] - before[1]) / gates * GATES
        figure = f"{cpu * 1e6:.0f} us of CPU, one core serves {1 / cpu:,.0f} gates/s"
        yield Figure(SUITE, f"the server, a gate {what}", figure)
    yield Figure(SUITE, f"the server, a session with {GATES} entries", f"{memory / 1e3:.1f} KB")
    store, blobs = RedisStore(server, print, 3600, None), place.size(1_000)
    before = _read_load(server)
    for number in range(blobs):
        store_content(store, [b"%d " % number + short_text(SIZE)], Label())
    cpu, memory = (got - had for got, had in zip(_read_load(server), before, strict=True))
    figure = f"{memory / blobs / 1e3:.1f} KB, {cpu / blobs * 1e6:.0f} us of CPU"
    yield Figure(SUITE, "the server, a blob of 10 KB", figure)


def _read_load(server: RedisServer) -> tuple[float, int]:
    """Return the seconds of CPU and the bytes of data of a server."""
    cpu, memory = (_parse_info(server.execute("INFO", part)) for part in ("cpu", "memory"))
    return float(cpu["used_cpu_user"]) + float(cpu["used_cpu_sys"]), int(memory["used_memory"])


def _parse_info(answer: Any) -> dict[str, Any]:
    """Return the facts of INFO, which the client has parsed unless the answer is bytes."""
    if isinstance(answer, dict):
        return answer
    return dict(line.split(":", 1) for line in answer.decode().splitlines() if ":" in line)


def _run_agent(port: int, name: str, gates: int, start: Event, results: "SimpleQueue[list[float]]") -> None:
    """Gate many results in one process, and report the seconds of each."""
    ledger, session = _open_ledger(port), Session(name, WINDOW, 0)
    ledger.add(session)
    entry, times = LedgerEntry("log", TOKENS, "exact", "raw"), []
    start.wait()
    for _ in range(gates):
        began = perf_counter()
        _gate_in_one_trip(ledger, session, entry)
        times.append(perf_counter() - began)
    results.put(times)


def _gate_in_one_trip(ledger: RedisLedger, session: Session, entry: LedgerEntry) -> None:
    """Do what a gate does on the server under a session that its machine knows."""
    request = ConditionalEntry(session, WINDOW - TOKENS, entry, is_compared=False)
    assert ledger.record_if_fits(request) is not None


def _gate_once(ledger: RedisLedger, session: Session, entry: LedgerEntry) -> None:
    """Do what one gate does on the server if its content needs a decision."""
    if ledger.find(session.name) is None:
        ledger.add(session)
    reservation = SessionReservation(ledger, session, Budget(WINDOW, 0, 0), print, strict=True)
    assert reservation.reserve(TOKENS, None)
    reservation.record(entry)


def _open_server(port: int) -> RedisServer:
    return RedisServer(parse_address(f"redis://127.0.0.1:{port}"), "/dev/null/mark", timeout=30)


def _open_ledger(port: int) -> RedisLedger:
    return RedisLedger(_open_server(port))


def _sum_used(port: int, names: set[str]) -> int:
    return sum(session.used for session in _open_ledger(port).sessions() if session.name in names)
