"""Starting: what the common answers cost beside a bare ``import click`` and beside ttok."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from glob import glob
from itertools import count

from bench import ttok
from bench.corpus import short_text
from bench.figure import Figure, ms
from bench.place import Place
from bench.process import Cost, Run, Several, interleave, run

SUITE = "cold"
SIZE = 10_000
FLOOR = 1.35
"""Times ``import click`` that a start may take."""
SESSION = 1.6
"""Times the CPU of ``import click`` that a call which keeps account may take."""
HOST = 1.25
"""Times the CPU of ``import click`` that an agent host may wait for an answer that changes nothing."""
PEER = 0.35
"""Times ttok that an exact count may take."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield the times of starts that need no count, then of one that does."""
    data = short_text(SIZE)
    yield from _floors(place, data)
    yield from _sessions(place, data)
    yield from _hosts(place)
    yield from _peer(place, data)


def _floors(place: Place, data: bytes) -> Iterator[Figure]:
    gate = [*place.ctxkit, "gate", "--window", "200000", "--tokenizer", "qwen3"]
    commands = {
        "--version": [*place.ctxkit, "--version"],
        "--help": [*place.ctxkit, "--help"],
        "gate, 10 KB that fit by the byte bound": gate,
    }
    ref = run([*place.ctxkit, "cache", "put"], data=data, keep=True).out.decode().strip()
    commands["cache get, 10 KB"] = [*place.ctxkit, "cache", "get", ref]
    for argv in list(commands.values())[2:]:
        assert run(argv, data=data, keep=True).out == data
    runs: list[Run] = [partial(run, [sys.executable, "-c", "import click"])]
    runs += [partial(run, argv, data=data) for argv in commands.values()]
    floor, *timed = interleave(runs, place.times(41))
    for what, several in zip(commands, timed, strict=True):
        yield _compare(what, several, floor, "import click", FLOOR)


def _sessions(place: Place, data: bytes) -> Iterator[Figure]:
    """Yield the CPU time of calls that keep account, and of the same gate with a vocabulary, whose load comes apart."""
    for session, tokenizer in ("bench", "bytes/3"), ("counted", "qwen3"):
        run([*place.ctxkit, "session", "new", session, "--window", str(10**9), "--tokenizer", tokenizer])
    gate, numbers = [*place.ctxkit, "gate", "--session", "bench"], count()

    def gate_new_content() -> Cost:
        """Gate content that the session has not seen."""
        return run(gate, data=b"%d\n%b" % (next(numbers), data))

    commands: dict[str, Run] = {
        "session status": partial(run, [*place.ctxkit, "session", "status", "bench"]),
        "gate under a session, 10 KB of new content": gate_new_content,
        "gate under a session, 10 KB of repeated content, which a line replaces": partial(run, gate, data=data),
    }
    counted = [partial(run, [*place.ctxkit, "gate", "--session", name], data=data) for name in ("bench", "counted")]
    without, with_vocabulary = interleave(counted, place.times(21))
    load = ms(with_vocabulary.cpu - without.cpu)
    yield Figure(SUITE, "the vocabulary qwen3 of a gate under a session, apart", f"{load} of CPU")
    yield from _compare_cpu(place, commands, SESSION)


def _hosts(place: Place) -> Iterator[Figure]:
    """Yield the CPU time of what an agent host calls often, and waits for."""
    usage = b'{"session_id": "a", "context_window": {"context_window_size": 200000}}'
    runs = {
        "hook, an event without an answer": partial(run, [*place.ctxkit, "hook", "codex"], data=b"{}"),
        "statusline": partial(run, [*place.ctxkit, "statusline"], data=usage),
        "statusline --show-prompt without a session": partial(
            run, [*place.ctxkit, "statusline", "--show-prompt"], data=b""
        ),
    }
    yield from _compare_cpu(place, runs, HOST)


def _compare_cpu(place: Place, runs: Mapping[str, Run], most: float) -> Iterator[Figure]:
    """Yield the CPU time of each run beside that of ``import click``."""
    floor, *timed = interleave([partial(run, [sys.executable, "-c", "import click"]), *runs.values()], place.times(21))
    for what, several in zip(runs, timed, strict=True):
        ratio = several.cpu / floor.cpu
        figure = f"{ms(several.cpu)} / {ms(floor.cpu)} import click, of CPU (wall {several.wall / floor.wall:.2f} x)"
        yield Figure(SUITE, what, figure, ratio, f"<= {most} x", ratio <= most)


def _peer(place: Place, data: bytes) -> Iterator[Figure]:
    """Compare an exact count with ttok's."""
    what = "gate, 10 KB that need an exact count"
    window = len(data) * 9 // 10
    gate = [*place.ctxkit, "gate", "--window", str(window), "--reserve", "0", "--tokenizer", "qwen3"]
    assert run(gate, data=data, keep=True).out == data, "the window must let the text pass"
    cache = place.path("tiktoken")
    if not ttok.script() or not ttok.vocabularies(cache):
        why = "its vocabulary cannot be made" if ttok.script() else "it is not installed"
        alone = interleave([partial(run, gate, data=data)], place.times(15))[0]
        yield Figure(SUITE, what, ms(alone.wall), notes=(f"ttok is skipped: {why}",))
        return
    os.environ["TIKTOKEN_CACHE_DIR"] = cache
    argv = [ttok.script()]
    count = int(run(argv, data=data, keep=True).out)
    assert 0 < count < len(data)
    older = [*argv, "-m", "gpt-4"]
    runs = [partial(run, command, data=data) for command in (argv, older, gate, [*gate[:-1], "cl100k"])]
    runs.append(partial(_run_first, gate, data))
    theirs, elder, ours, alike, first = interleave(runs, place.times(15))
    yield _compare(what, ours, theirs, "ttok", PEER)
    yield replace(_compare(f"{what}, the first of a vocabulary", first, theirs, "ttok", PEER), target="", ok=None)
    yield replace(_compare(f"{what}, of cl100k", alike, elder, "ttok -m gpt-4", PEER), target="", ok=None)


def _run_first(gate: Sequence[str], data: bytes) -> Cost:
    """Run a gate that finds no compiled table of its vocabulary, and makes it."""
    for path in glob(os.path.join(os.environ["XDG_CACHE_HOME"], "ctxkit", "vocabularies", f"{gate[-1]}-*")):
        os.remove(path)
    return run(gate, data=data)


def _compare(what: str, ours: Several, theirs: Several, name: str, most: float) -> Figure:
    ratio = ours.wall / theirs.wall
    figure = f"{ms(ours.wall)} / {ms(theirs.wall)} {name} (CPU {ours.cpu / theirs.cpu:.2f} x)"
    return Figure(SUITE, what, figure, ratio, f"<= {most} x", ratio <= most)
