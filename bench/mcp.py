"""ctxkit mcp wrap: what it adds to a call, and its memory.

    python -m bench mcp [--quick]

A client calls a tool of a real server, with the proxy and without it; then of one with a URL, by HTTP and through it.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from math import ceil
from statistics import median
from time import perf_counter

from bench.figure import Figure
from bench.place import PROJECT, Place
from bench.servers import list_processes

SUITE = "mcp"
CALLS, SMALL_ROWS = 1_000, 30
LONG_CALLS, LONG_ROWS = 9, 20_000
P50, IDLE = 0.001, 30_000_000
SERVER = (sys.executable, "-m", "tests.mcp_server")
HTTP_SERVER = (sys.executable, "-m", "tests.mcp_http_server")


def figures(place: Place) -> Iterator[Figure]:
    """Yield the latency that is added to short and to long results, and the memory while nothing is asked."""
    wrap = (*place.ctxkit, "mcp", "wrap", "--window", "200k", "--", *SERVER)
    calls = CALLS // 10 if place.quick else CALLS
    with _connect(place, SERVER) as server, _connect(place, wrap) as client:
        alone = median(_call(server, SMALL_ROWS) for _ in range(calls))
        added = sorted(_call(client, SMALL_ROWS) - alone for _ in range(calls))
        idle = _read_memory(client.pid)
        long = median(_call(client, LONG_ROWS) for _ in range(LONG_CALLS))
        after = _read_memory(client.pid)
    middle, slow = median(added), added[ceil(len(added) * 0.99) - 1]
    yield Figure(SUITE, "added to a short result, p50", f"{middle * 1e3:.2f} ms", None, "<= 1 ms", middle <= P50)
    yield Figure(SUITE, "added to a short result, p99", f"{slow * 1e3:.2f} ms")
    yield Figure(SUITE, "call with a result of 500 KB, which becomes a map", f"{long * 1e3:.0f} ms")
    yield Figure(SUITE, "idle memory", f"{idle / 1e6:.0f} MB", None, "<= 30 MB", idle <= IDLE)
    yield Figure(SUITE, "idle memory after long results", f"{after / 1e6:.0f} MB")
    yield from _measure_http(place, calls // 5)


def _measure_http(place: Place, calls: int) -> Iterator[Figure]:
    """Yield the same of a server with a URL, which has no session and answers with JSON."""
    with subprocess.Popen(HTTP_SERVER, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout
        port = int(server.stdout.readline())
        wrap = (*place.ctxkit, "mcp", "wrap", "--window", "200k", "--url", f"http://127.0.0.1:{port}/json")
        try:
            with _connect(place, wrap) as client, closing(HTTPConnection("127.0.0.1", port, timeout=30)) as direct:
                alone = median(_post(direct, SMALL_ROWS) for _ in range(calls))
                added = sorted(_call(client, SMALL_ROWS) - alone for _ in range(calls))
                _, bridge = list_processes(client.pid)
                idle = _read_memory(bridge)
        finally:
            server.kill()
    slow = added[ceil(len(added) * 0.99) - 1]
    yield Figure(SUITE, "added to a short result of a server with a URL, p50", f"{median(added) * 1e3:.2f} ms")
    yield Figure(SUITE, "added to a short result of a server with a URL, p99", f"{slow * 1e3:.2f} ms")
    yield Figure(SUITE, "idle memory of the process that speaks HTTP", f"{idle / 1e6:.0f} MB")


@contextmanager
def _connect(place: Place, command: Sequence[str]) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a server, and wait until it answers."""
    path = os.pathsep.join(filter(None, (PROJECT, os.environ.get("PYTHONPATH"))))
    env = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": place.root, "XDG_DATA_HOME": place.root}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        _call(process, 1)
        yield process
        if process.stdin:
            process.stdin.close()


def _call(process: "subprocess.Popen[bytes]", rows: int) -> float:
    """Return the seconds of a call with so many rows."""
    assert process.stdin
    assert process.stdout
    request = _make_request(rows) + b"\n"
    start = perf_counter()
    process.stdin.write(request)
    process.stdin.flush()
    process.stdout.readline()
    return perf_counter() - start


def _post(connection: HTTPConnection, rows: int) -> float:
    """Return the seconds of the same call by HTTP."""
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    start = perf_counter()
    connection.request("POST", "/json", _make_request(rows), headers)
    connection.getresponse().read()
    return perf_counter() - start


def _make_request(rows: int) -> bytes:
    params = {"name": "dump", "arguments": {"rows": rows}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def _read_memory(process: int) -> int:
    """Return the resident memory of a process in bytes."""
    with open(f"/proc/{process}/status") as file:
        match = re.search(r"VmRSS:\s+(\d+) kB", file.read())
    return int(match[1]) * 1024 if match else 0
