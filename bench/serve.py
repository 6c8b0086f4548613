"""The server of ctxkit serve: latency beside a no-op ASGI handler, memory, and commands that ask it."""

import http.client
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from math import ceil
from statistics import median
from time import perf_counter, sleep

from bench.corpus import short_text
from bench.figure import Figure, ms
from bench.place import Place
from bench.process import Cost, Run, interleave, run
from bench.servers import await_answer, list_processes, read_memory

SUITE = "serve"
SIZE = 10_000
RATE, SECONDS = 200, 20
P50, P99, LIMITS = 0.003, 0.010, "<= 3 ms, <= 10 ms"
"""Targets for gate of 10 KB, in seconds."""
MEMORY = 150_000_000
TIMES = 31
NO_OP = """
import os, sys, uvicorn
async def app(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"{}"})
print("ready", file=sys.stderr, flush=True)
uvicorn.run(app, uds=sys.argv[1], http="h11", log_level="critical", access_log=False, lifespan="off")
"""


def figures(place: Place) -> Iterator[Figure]:
    """Yield latency, memory, and the time of commands."""
    words = ["serve", "-j", "1", "--preload", "o200k", "--preload", "qwen3"]
    with _run([*place.ctxkit, *words, "--socket"], place.path("s")) as server:
        yield _measure_memory(server)
        with _run([sys.executable, "-c", NO_OP], place.path("n")):
            yield from _measure_latency(place)
        yield from _compare_commands(place)


@contextmanager
def _run(words: list[str], path: str) -> Iterator[int]:
    """Run a server at a path on the last core, and yield its process."""
    cores = sorted(os.sched_getaffinity(0))
    with subprocess.Popen([*words, path], stderr=subprocess.PIPE) as process:
        os.sched_setaffinity(process.pid, cores[-1:])
        try:
            await_answer(partial(_check_health, path))
            yield process.pid
        finally:
            process.terminate()


def _check_health(path: str) -> None:
    with closing(_connect(path)) as connection:
        connection.request("GET", "/v1/health")
        connection.getresponse().read()


def _connect(path: str) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection("ctxkit", timeout=60)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(60)
    connection.sock.connect(path)
    return connection


def _ask(connection: http.client.HTTPConnection, target: str, data: bytes) -> bytes:
    connection.request("POST", target, data)
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, body
    return body


def _measure_memory(server: int) -> Figure:
    """Return the memory of the server and its process, each page counted once."""
    size = read_memory(server)
    figure = f"{size / 1e6:.0f} MB in {len(list_processes(server))} processes"
    return Figure(SUITE, "idle memory, o200k and qwen3 loaded", figure, None, "<= 150 MB", size <= MEMORY)


def _measure_latency(place: Place) -> Iterator[Figure]:
    """Yield the times of requests at a steady rate, beside a handler that does nothing, and the most per second."""
    data, count = short_text(SIZE), RATE * (1 if place.quick else SECONDS)
    targets = {
        "no-op ASGI handler": ("n", "/"),
        "gate, 10 KB that fits": ("s", "/v1/gate?model=qwen3-30b"),
        "count, 10 KB": ("s", "/v1/count?tokenizer=o200k"),
    }
    floor = 0.0
    for what, (name, target) in targets.items():
        with closing(_connect(place.path(name))) as connection:
            ask = partial(_ask, connection, target, data)
            times = _time_steadily(ask, count)
            middle, slow = median(times), times[ceil(len(times) * 0.99) - 1]
            floor = floor or middle
            figure = f"p50 {middle * 1e3:.2f} ms, p99 {slow * 1e3:.2f} ms at {RATE}/s"
            figure += f"; at most {_rate(ask, count):,.0f}/s"
            limits, is_good = ("", None) if "fits" not in what else (LIMITS, middle <= P50 and slow <= P99)
            yield Figure(SUITE, what, figure, middle / floor, limits, is_good)
    with closing(_connect(place.path("s"))) as connection:
        ask = partial(_ask, connection, "/v1/gate?tokenizer=qwen3&window=4096&limit=900", data)
        yield Figure(SUITE, "gate, 10 KB as a map", f"at most {_rate(ask, count // 10):,.0f}/s")


def _rate(ask: Callable[[], bytes], count: int) -> float:
    """Return the requests per second of a client that asks again as soon as it is answered."""
    began = perf_counter()
    for _ in range(count):
        ask()
    return count / (perf_counter() - began)


def _time_steadily(ask: Callable[[], bytes], count: int) -> list[float]:
    """Return the sorted times of requests that begin at a steady rate; one that had to wait counts from its turn."""
    times, turn = [], perf_counter()
    for _ in range(count):
        sleep(max(0.0, turn - perf_counter()))
        ask()
        times.append(perf_counter() - turn)
        turn += 1 / RATE
    return sorted(times)


def _compare_commands(place: Place) -> Iterator[Figure]:
    """Yield the time of commands that ask the server, beside the same without it."""
    data = short_text(SIZE)
    fits = ["gate", "--tokenizer", "qwen3", "--window", "32768", "--json"]
    maps = ["gate", "--tokenizer", "qwen3", "--window", "4096", "--limit", "900"]
    script = ["shell", "--tokenizer", "qwen3", "--window", "4096", "-c", "seq 20000"]
    floor: Run = partial(run, [sys.executable, "-c", "import click"])
    calls = {"gate, 10 KB counted": (fits, data), "gate, 10 KB as a map": (maps, data), "shell, a map": (script, b"")}
    for what, (words, stdin) in calls.items():
        ask, work = (partial(_run_with, place, server, words, stdin) for server in (place.path("s"), "false"))
        click, asks, alone = interleave([floor, ask, work], place.times(TIMES))
        figure = f"{ms(asks.wall)} with a server, {ms(alone.wall)} without, {ms(click.wall)} import click"
        yield Figure(SUITE, f"command: {what}", figure, asks.wall / alone.wall)


def _run_with(place: Place, server: str, words: Sequence[str], data: bytes) -> Cost:
    os.environ["CTXKIT_SERVER"] = server
    try:
        return run([*place.ctxkit, *words], data=data)
    finally:
        os.environ["CTXKIT_SERVER"] = "false"
