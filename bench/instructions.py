"""The instructions of common starts beside those of a bare ``import click``, which do not depend on the load."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator

from bench.corpus import short_text
from bench.figure import Figure
from bench.place import Place
from bench.process import run

SUITE = "instructions"
SIZE = 10_000
COUNT = [
    *("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"),
    *("--trace-children=no", "--max-threads=50"),
]
SESSION_GATE = "gate under a session, 10 KB"
VOCABULARY = "qwen3"
BARS = {
    "--version": 0.82,
    "--help": 1.07,
    "gate, 10 KB that fits by the byte bound": 0.96,
    "cache get, 10 KB": 1.03,
    "session status": 1.00,
    SESSION_GATE: 1.10,
    "hook, an event without an answer": 1.03,
}
"""Times the instructions of ``import click``: the measured ones and at least 2 %, as versions of Python differ."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield the instructions of each start."""
    if not shutil.which("valgrind"):
        yield Figure(SUITE, "skipped", "valgrind is not installed")
        return
    data = short_text(SIZE)
    ref = run([*place.ctxkit, "cache", "put"], data=data, keep=True).out.decode().strip()
    for session, tokenizer in ("bench", "bytes/3"), ("counted", VOCABULARY):
        run([*place.ctxkit, "session", "new", session, "--window", str(10**9), "--tokenizer", tokenizer])
    commands = {
        "--version": (["--version"], b""),
        "--help": (["--help"], b""),
        "gate, 10 KB that fits by the byte bound": (["gate", "--window", "200000", "--tokenizer", "qwen3"], data),
        "cache get, 10 KB": (["cache", "get", ref], b""),
        "session status": (["session", "status", "bench"], b""),
        SESSION_GATE: (["gate", "--session", "bench", "--again"], data),
        "hook, an event without an answer": (["hook", "codex"], b"{}"),
    }
    floor = _count([sys.executable, "-c", "import click"], b"")
    counts = {what: _count([sys.executable, *place.ctxkit, *words], stdin) for what, (words, stdin) in commands.items()}
    for what, count in counts.items():
        ratio = count / floor
        figure = f"{ratio * floor / 1e6:.0f} M / {floor / 1e6:.0f} M import click"
        yield Figure(SUITE, what, figure, ratio, f"<= {BARS[what]} x", ratio <= BARS[what])
    counted = _count([sys.executable, *place.ctxkit, "gate", "--session", "counted", "--again"], data)
    load = counted - counts[SESSION_GATE]
    what = f"the vocabulary {VOCABULARY} of a gate under a session, apart"
    yield Figure(SUITE, what, f"{load / 1e6:.0f} M / {floor / 1e6:.0f} M import click", load / floor)


def _count(argv: list[str], data: bytes) -> int:
    """Return the instructions of a process, the fewer of two runs: the first may compile modules."""
    return min(_count_once(argv, data) for _ in range(2))


def _count_once(argv: list[str], data: bytes) -> int:
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    ended = subprocess.run([*COUNT, *argv], input=data, capture_output=True, env=environment, check=True)
    count = re.search(rb"Collected : (\d+)", ended.stderr)
    assert count, ended.stderr
    return int(count[1])
