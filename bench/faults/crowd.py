"""Many at once: 16 agents that gate into one session, beside collections and verifications that never end."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Event

from bench.faults.checks import blob_of, torn_blobs
from bench.faults.home import Home, new_home, remove
from bench.faults.kills import verdict
from bench.figure import Figure
from bench.place import Place

AGENTS, GATES, QUICK = 16, 100, 4
SESSION, WINDOW = "crowd", 400_000
VOCABULARY = ("--tokenizer", "qwen3")


def figures(place: Place) -> Iterator[Figure]:
    """Yield what a crowd leaves: the ledger is what was printed, nothing is over the window, every ref is there."""
    home = new_home(place)
    gates = QUICK if place.quick else GATES
    window = WINDOW * gates // GATES
    begun = home.run(("session", "new", SESSION, "--window", str(window), *VOCABULARY))
    assert begun.status == 0, begun.err
    notes: Counter[str] = Counter()
    over = Event()
    with ThreadPoolExecutor(AGENTS + 2) as pool:
        loops = [
            pool.submit(_loop, home, argv, over) for argv in (("cache", "gc", "--max-age", "0s"), ("cache", "verify"))
        ]
        printed = list(pool.map(lambda agent: _agent(home, agent, gates), range(AGENTS)))
        over.set()
        turns = [loop.result() for loop in loops]
    for _, faults in [*printed, *turns]:
        notes.update(faults)
    status = json.loads(home.run(("session", "status", SESSION, "--json")).out)
    admitted = sum(tokens for tokens, _ in printed)
    notes.update(_book(status, admitted))
    notes.update(torn_blobs(home))
    beside = f"beside {turns[0][0]} collections and {turns[1][0]} verifications"
    yield verdict(
        f"{AGENTS} x {gates} gates on one session", f"{admitted:,} tokens in {status['window']:,}, {beside}", notes
    )
    remove(home)


def _book(status: dict[str, int], admitted: int) -> Iterator[str]:
    if status["used"] != admitted:
        yield f"the ledger says {status['used']:,}, what was printed takes {admitted:,}"
    if status["used"] > status["window"] - status["reserve"]:
        yield f"{status['used']:,} tokens are over the window of {status['window']:,}"


def _agent(home: Home, agent: int, gates: int) -> tuple[int, list[str]]:
    """Gate content of many sizes; return the tokens that were printed, and what was wrong."""
    from ctxkit.app.services import engines
    from ctxkit.core.tokens.vocabulary import find_vocabulary

    count, random = engines.load_tokenizer(find_vocabulary(VOCABULARY[1])), Random(agent)
    tokens, faults = 0, []
    for number in range(gates):
        data = b"".join(
            b"agent %d, gate %d, line %d\n" % (agent, number, line) for line in range(random.choice((1, 30, 400, 3000)))
        )
        done = home.run(
            ("gate", "--session", SESSION, "--limit", str(random.choice((90, 700))), *VOCABULARY, "--json"), data
        )
        if done.status not in (0, 1) or not done.out.strip():
            faults.append(f"gate ends with {done.status}: {done.err[:150]!r}" if done.status not in (0, 1) else "")
            continue
        values = json.loads(done.out)
        if "content" not in values:
            continue
        size = count(values["content"])
        tokens += size
        if values["result"] in ("raw", "tight") and values["content"].encode() != data:
            faults.append("content that fits is changed")
        if values.get("ref") and blob_of(home, values["ref"][:16].encode()) is None:
            faults.append("lost: a ref is named and not there")
        if values["tokens"] != size:
            faults.append("gate --json says other tokens than its content takes")
    return tokens, [fault for fault in faults if fault]


def _loop(home: Home, argv: tuple[str, ...], over: Event) -> tuple[int, list[str]]:
    """Run a command until the crowd is gone; return how often, and what was wrong."""
    turns, faults = 0, []
    while not over.is_set():
        done = home.run(argv)
        turns += 1
        if done.status != 0:
            faults.append(f"{' '.join(argv)} ends with {done.status}: {done.err[:150]!r}{done.out[:150]!r}")
        over.wait(0.05 if os.cpu_count() else 0.1)
    return turns, faults
