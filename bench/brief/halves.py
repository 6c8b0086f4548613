"""Suites that ask about inputs of two halves: those that rules were tuned on, and those that were held out."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import mean

from bench.brief.scoring import AROUND, Answers, Asked, Scores, faults, make_map, pointers, tail, total
from bench.doors import count
from bench.figure import Figure

BUDGETS = (500, 1_000, 2_000, 8_000)
LEAST = 0.95
"""Least share of the answers that a map leads to at the budget that a suite names."""


def figures(
    suite: str, askeds: Sequence[Asked], kinds: Callable[[Asked], Sequence[str]], judged: int
) -> Iterator[Figure]:
    """Yield, for each half and budget, how well maps answer, beside the end of the input, and what is wrong."""
    for held_out in (False, True):
        half = [case for case in askeds if case.held_out == held_out]
        for budget in BUDGETS:
            least = LEAST if budget == judged else 0.0
            yield from _measure(suite, half, budget, kinds, least, held_out=held_out)


def _measure(
    suite: str,
    half: Sequence[Asked],
    budget: int,
    kinds: Callable[[Asked], Sequence[str]],
    number: float,
    *,
    held_out: bool,
) -> Iterator[Figure]:
    mine, end, wrong = Scores(), Scores(), defaultdict[str, list[str]](list)
    size, seconds, cases = 0, 0.0, 0
    for item in half:
        if count(item.data.decode("utf-8", "replace")) <= budget:
            continue
        answers = Answers(item, budget)
        began = time.process_time()
        text, kind = make_map(item.data, "stdin", budget)
        seconds += time.process_time() - began
        size, cases = size + len(item.data), cases + 1
        score, short = answers.score(text, list(pointers(text))), answers.score(tail(answers.rows, budget - AROUND))
        mine.add(*score)
        end.add(*short)
        for what, why in faults(text, answers.rows, budget):
            wrong[what].append(f"{item.name}: {why}")
        if make_map(item.data, "stdin", budget)[0] != text:
            wrong["differs"].append(item.name)
        if kind not in kinds(item):
            wrong["kind"].append(f"{item.name}: {kind}")
        if total(*score[:2]) < total(*short[:2]) - 1e-9:
            wrong["worse than its end"].append(f"{item.name}: {total(*score[:2]):.2f}, the end {total(*short[:2]):.2f}")
    if not cases:
        return
    what = f"{'held out' if held_out else 'tuned on'}, {cases} inputs at {budget:,} tokens"
    reached = mean(share for shares in mine.reach.values() for share in shares) if mine.reach else 1.0
    target = f"reach >= {number}" if number else ""
    speed = f", {size / max(seconds, 1e-9) / 1e6:.0f} MB/s"
    yield Figure(suite, what, mine.line() + speed, None, target, reached >= number if target else None)
    yield Figure(suite, f"{what}: the end alone", end.line())
    for fault, where in wrong.items():
        yield Figure(suite, f"{what}: {fault}", f"{len(where)}", None, "0", False, tuple(where[:8]))
