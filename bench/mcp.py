"""ctxkit mcp wrap: what it adds to a call, and its memory.

    python -m bench mcp [--quick]

A client calls a tool of a real server, with the proxy and without it.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil
from statistics import median
from time import perf_counter

from bench.figure import Figure
from bench.place import PROJECT, Place

SUITE = "mcp"
CALLS, SMALL_ROWS = 1_000, 30
LONG_CALLS, LONG_ROWS = 9, 20_000
P50, IDLE = 0.001, 30_000_000
SERVER = (sys.executable, "-m", "tests.mcp_server")


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
    params = {"name": "dump", "arguments": {"rows": rows}}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode() + b"\n"
    start = perf_counter()
    process.stdin.write(request)
    process.stdin.flush()
    process.stdout.readline()
    return perf_counter() - start


def _read_memory(process: int) -> int:
    """Return the resident memory of a process in bytes."""
    with open(f"/proc/{process}/status") as file:
        match = re.search(r"VmRSS:\s+(\d+) kB", file.read())
    return int(match[1]) * 1024 if match else 0
