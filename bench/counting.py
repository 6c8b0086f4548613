"""Counting: how fast and in how much memory, against ttok, and whether what is counted is right."""

import json
import os
import random
from collections.abc import Iterable, Iterator
from functools import partial

from bench import ttok
from bench.corpus import SEED, make
from bench.figure import Figure, mb
from bench.place import Place
from bench.process import interleave, run
from bench.throughput import LARGE, large
from bench.weigh import peak
from ctxkit.app.services import engines
from ctxkit.core.count.amount import ZERO, Amount
from ctxkit.core.count.content import count_content
from ctxkit.core.count.options import CountOptions
from ctxkit.core.errors import MalformedInputError
from ctxkit.core.tokens.vocabulary import find_vocabulary

SUITE = "counting"
SHARE = 0.25
"""Times ttok's CPU that counting may take."""
HELD = 300_000_000
"""Bytes that counting may hold of 100 MB."""
SMALL = 10_000
TOKENIZER = ("--tokenizer", "o200k")
"""ttok's own default."""


def figures(place: Place) -> Iterator[Figure]:
    """Yield what counting text costs beside ttok, what conversations cost, and whether sessions add up."""
    log = large(place, "log")
    yield from _against_ttok(place, log)
    chat = _chat(place, log)
    yield _measure_speed(place, "a conversation, one message a line", chat)
    yield _peak(place, "text", log)
    yield _peak(place, "a conversation, one message a line", chat)
    yield _sums(place)


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


def _chat(place: Place, log: str) -> str:
    """Write a conversation about as long as the log: messages of up to 30 of its lines."""
    path = place.path("chat.jsonl")
    if os.path.exists(path):
        return path
    chance = random.Random(SEED)
    with open(log, encoding="ascii") as source, open(path, "w", encoding="ascii") as target:
        roles = ("user", "assistant")
        for number in range(place.size(LARGE) // 1000):
            words = "".join(line for line, _ in zip(source, range(chance.randrange(1, 30)), strict=False))
            target.write(json.dumps({"role": roles[number % 2], "content": words}) + "\n")
    return path


def _measure_speed(place: Place, what: str, path: str) -> Figure:
    cost = run([*place.ctxkit, "count", *TOKENIZER], file=path)
    size = os.path.getsize(path)
    return Figure(SUITE, f"{what}, {mb(size)}", f"{size / cost.cpu / 1e6:.1f} MB/s of CPU; {cost.cpu:.2f} s")


def _peak(place: Place, what: str, path: str) -> Figure:
    result = peak([*place.ctxkit, "count", *TOKENIZER], file=path)
    target = f"<= {mb(HELD)}"
    return Figure(SUITE, f"{what}, {mb(os.path.getsize(path))}", f"{mb(result)} peak", None, target, result <= HELD)


def _sums(place: Place) -> Figure:
    """Return for how many sessions of the corpora the messages, and the components, add up to the total."""
    paths = place.inputs("sessions")
    if not paths:
        return Figure(SUITE, "messages add up", "skipped", notes=("there are no corpora",))
    vocabulary = find_vocabulary("o200k")
    order = CountOptions(vocabulary, engines.load_tokenizer(vocabulary), engines.parse_json, is_named=False, rows=True)
    right, wrong, others = 0, [], []
    for path in paths:
        try:
            total = count_content([place.data(path)], path, order).sum
        except MalformedInputError as trouble:
            others.append(str(trouble))
            continue
        if total is None:
            others.append(f"{path}: text")
        elif {_add(row.amount for row in total.rows), _add(total.components.values())} == {total.amount}:
            right += 1
        else:
            wrong.append(path)
    figure = f"{right} of {right + len(wrong)} sessions, {len(others)} other files"
    return Figure(SUITE, "messages and components add up", figure, None, "all", not wrong, wrong or others)


def _add(amounts: Iterable[Amount]) -> Amount:
    total = ZERO
    for amount in amounts:
        total = total.plus(amount)
    return total
