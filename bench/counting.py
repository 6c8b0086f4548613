"""Counting: how fast and in how much memory, against ttok, which must give the same number."""

import os
from collections.abc import Iterator
from functools import partial

from bench import ttok
from bench.corpus import make
from bench.figure import Figure, mb
from bench.place import Place
from bench.process import interleave, run
from bench.throughput import LARGE, large
from bench.weigh import peak

SUITE = "counting"
SHARE = 0.25
"""Times ttok's CPU that counting may take."""
HELD = 300_000_000
"""Bytes that counting may hold of 100 MB."""
SMALL = 10_000
TOKENIZER = ("--tokenizer", "o200k")
"""ttok's own default."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield what counting text costs, beside ttok."""
    log = large(place)
    yield from _against_ttok(place, log)
    size = peak([*place.ctxkit, "count", *TOKENIZER], file=log)
    what = f"text, {mb(os.path.getsize(log))}"
    yield Figure(SUITE, what, f"{mb(size)} peak", None, f"<= {mb(HELD)}", size <= HELD)


def _against_ttok(place: Place, log: str) -> Iterator[Figure]:
    script, size = ttok.script(), place.size(LARGE)
    os.environ["TIKTOKEN_CACHE_DIR"] = place.path("tiktoken")
    if not script or not ttok.vocabularies(place.path("tiktoken")):
        yield Figure(SUITE, "ttok", "skipped", notes=("ttok is not installed, or its vocabulary is not ours",))
        return
    small = make(place.path("small.txt"), "log", SMALL)
    for path, length, times in ((log, size, 1), (small, SMALL, place.times(7))):
        count = [*place.ctxkit, "count", *TOKENIZER]
        same = run(count, file=path, keep=True).out.split() == run([script], file=path, keep=True).out.split()
        ours, theirs = interleave([partial(run, count, file=path), partial(run, [script], file=path)], times)
        ratio = ours.cpu / theirs.cpu
        speed = f"{length / ours.cpu / 1e6:.1f} MB/s of CPU; {ours.cpu:.2f} s / {theirs.cpu:.2f} s ttok"
        notes = () if same else ("ttok gives another number",)
        target, fast = (f"<= {SHARE:g} x, same number", ratio <= SHARE) if path == log else ("same number", True)
        yield Figure(SUITE, f"text, {mb(length)}", speed, ratio, target, fast and same, notes)
