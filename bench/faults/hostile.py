"""200 hostile inputs of 1 MB and every verb: the right status, no traceback, in time, within memory."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import NamedTuple

from bench.faults.home import Ended, Home, new_home, remove
from bench.faults.inputs import MANY, hostile
from bench.faults.kills import verdict
from bench.figure import Figure, mb
from bench.place import Place
from bench.slowdown import measure_slowdown

MEMORY = 400 << 20
"""Bytes that a command may hold at its peak."""
PER_MB, START = 2.0, 1.0
"""CPU seconds that a MB may take, and that a start may.

The slowest honest inputs, 120,000 keys of TOML and noise read as a named kind, take 1.3 to 2.4 in all by the memory of
the machine; faults that these limits are for take ten times as long.
"""
REPEATS = 4
"""Number of times that a slow command is run again, beside a measure of the processor."""
STUCK = 40.0
"""Seconds on the wall after which a command hangs."""
QUICK = 40
WINDOW = ("--window", "8000", "--tokenizer", "qwen3")
FILTER = (0,)
READER = (0, 1, 2, 65)
LINTER = (0, 1, 65)
"""dedupe refuses a file of more than 100,000 lines that are shorter than 10 bytes, with 65 and a hint."""
TYPES = (
    "cargo_test", "csv", "diagnostics", "diff", "har", "history", "html", "json", "jsonl",
    "junit_xml", "listing", "log", "manual", "notebook", "pytest", "search", "source", "table", "tap", "text", "binary",
)  # fmt: skip


class Verb(NamedTuple):
    """Hold a command that reads content, and the statuses that it may end with."""

    name: str
    argv: Callable[[str, int], Sequence[str]]
    statuses: Sequence[int]
    file: str = ""


def _write_typed(path: str, number: int) -> Sequence[str]:
    return ("brief", path, *WINDOW, "--type", TYPES[number % len(TYPES)])


VERBS = (
    Verb("gate", lambda path, number: ("gate", *WINDOW), FILTER),
    Verb("gate --session", lambda path, number: ("gate", path, *WINDOW, "--session", f"s{number}"), FILTER),
    Verb("run", lambda path, number: ("run", *WINDOW, "--", "cat", path), FILTER),
    Verb("brief", lambda path, number: ("brief", path, *WINDOW), (0, 1)),
    Verb("brief --type", _write_typed, (0, 1)),
    Verb("brief --focus", lambda path, number: ("brief", path, *WINDOW, "--focus", "error in a line"), (0, 1)),
    Verb("truncate", lambda path, number: ("truncate", "--max-lines", "9"), (0,)),
    Verb("truncate --max-tokens", lambda path, number: ("truncate", path, "--middle", "--max-tokens", "90"), (0,)),
    Verb("cache put", lambda path, number: ("cache", "put"), (0,)),
    Verb("cache get --grep", lambda path, number: ("cache", "get", path, "--grep", "a+b|error", "-n"), (0, 1, 2)),
    Verb("cache get --gate", lambda path, number: ("cache", "get", path, "--lines", "1:", "--gate", *WINDOW), (0, 1)),
    Verb("cache get --json-path", lambda path, number: ("cache", "get", path, "--json-path", ".a[0].b"), READER),
    Verb("count", lambda path, number: ("count", path), (0, 65)),
    Verb("count --by line", lambda path, number: ("count", path, "--by", "line", "--input", "text"), (0, 65)),
    Verb("budget", lambda path, number: ("budget", path, *WINDOW), (0, 65)),
    Verb("budget --tools", lambda path, number: ("budget", "--tools", path, "--system", path, *WINDOW), (0, 65)),
    Verb("prompt build", lambda path, number: ("prompt", "build", "--memories", path, *WINDOW), (0,)),
    Verb("prompt build, lines", lambda path, number: ("prompt", "build", *WINDOW), (0, 65)),
    Verb("prompt build --sections", lambda path, number: ("prompt", "build", "--sections", path, *WINDOW), (0, 65)),
    Verb("prompt diff", lambda path, number: ("prompt", "diff", path, "-"), (0, 1)),
    Verb("prompt lint", lambda path, number: ("prompt", "lint", path), (0, 1)),
    Verb("compact", lambda path, number: ("compact", *WINDOW, "--force"), (0, 1, 2, 65)),
    Verb("compact --check", lambda path, number: ("compact", path, "--check"), (0, 1, 2, 65)),
    Verb("edit list", lambda path, number: ("edit", "list", path), READER),
    Verb("edit remove", lambda path, number: ("edit", "remove", "2:3", path, "--expand"), READER),
    Verb("session append", lambda path, number: ("session", "append", "h", path), READER),
    Verb("snapshot save", lambda path, number: ("snapshot", "save", "h", path), READER),
    Verb("usage", lambda path, number: ("usage", path), (0, 1, 65)),
    Verb("dedupe -", lambda path, number: ("dedupe", "-"), (0, 1, 65)),
    Verb("dedupe", lambda path, number: ("dedupe", "--select", "ALL", "ws"), LINTER, "ws/AGENTS.md"),
    Verb("dedupe, a memory", lambda path, number: ("dedupe", "ws"), LINTER, "ws/memory/2026-01-01.md"),
    Verb("count --calibrate", lambda path, number: ("count", "--calibrate", path), (0, 2, 65)),
    Verb("settings of the user", lambda path, number: ("gate", *WINDOW), FILTER, "../config/ctxkit/config.toml"),
    Verb("settings of a project", lambda path, number: ("gate", *WINDOW), FILTER, ".ctxkit.toml"),
)  # fmt: skip
"""Every verb that reads content; what is in ``file`` is read besides stdin or in its place."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield how many runs were wrong, slow or large, and the worst of them."""
    notes: Counter[str] = Counter()
    runs, slowest, largest = 0, ("", 0.0), ("", 0)
    for name, data, verb, number in _pairs(place):
        done = _run_fairly(place, verb, data, number)
        runs += 1
        what = f"{verb.name} of {name}"
        slowest = max(slowest, (what, done.cpu), key=lambda pair: pair[1])
        largest = max(largest, (what, done.peak), key=lambda pair: pair[1])
        notes.update(f"{what}: {fault}" for fault in _faults(verb, done, len(data)))
    size = f"{mb(largest[1])} peak ({largest[0]}), {slowest[1]:.1f} s at most ({slowest[0]})"
    yield verdict(f"{runs:,} runs on hostile inputs of 1 MB", size, notes)


def _pairs(place: Place) -> Iterator[tuple[str, bytes, Verb, int]]:
    """Yield every input with every verb; in a quick run a few of them, other ones for each seed."""
    if not place.quick:
        for number, (name, data) in enumerate(hostile()):
            yield from ((name, data, verb, number) for verb in VERBS)
        return
    random = Random(place.seed)
    items = sorted(random.sample(range(MANY), QUICK))
    verbs = [VERBS[(at + place.seed) % len(VERBS)] for at in range(QUICK)]
    random.shuffle(verbs)
    for number, (name, data) in enumerate(islice(hostile(), MANY)):
        if number in items:
            yield name, data, verbs[items.index(number)], number


def _run_fairly(place: Place, verb: Verb, data: bytes, number: int) -> Ended:
    """Run a command, and again where it was slow: the processor may have been slower than the limits assume."""
    done = _run(place, verb, data, number)
    for _ in range(REPEATS):
        if done.late or done.cpu <= _allow_seconds(len(data)):
            break
        before = measure_slowdown()
        again = _run(place, verb, data, number)
        cpu = again.cpu * 2 / (before + measure_slowdown())
        done = replace(again, cpu=min(cpu, done.cpu), peak=max(again.peak, done.peak))
    return done


def _allow_seconds(size: int) -> float:
    return max(size / 1e6, 0.1) * PER_MB + START


def _run(place: Place, verb: Verb, data: bytes, number: int) -> Ended:
    home = new_home(place)
    try:
        path = home.write("content", data)
        if verb.file:
            _place(home, verb.file, data)
        if verb.argv(path, number)[:2] in (("session", "append"), ("snapshot", "save")):
            home.run(("session", "new", "h", "--window", "8000"))
        given = b"content\n" if verb.file.endswith(".toml") else data
        return home.weigh(verb.argv(path, number), given, most=STUCK)
    finally:
        remove(home)


def _place(home: Home, name: str, data: bytes) -> None:
    home.write(name, data)


def _faults(verb: Verb, done: Ended, size: int) -> Iterator[str]:
    if done.late:
        yield f"hangs: more than {STUCK:.0f} s"
        return
    if done.status not in verb.statuses:
        yield f"status {done.status}: {done.err.strip()[-200:]!r}"
    if "Traceback" in done.err:
        yield "a traceback"
    refused = done.status == 2 and "of processor time" in done.err  # --grep ends after 3 s, and says so
    if done.cpu > _allow_seconds(size) and not refused:
        yield f"slow: {done.cpu:.1f} s"
    if done.peak > MEMORY:
        yield f"large: {mb(done.peak)}"
