"""Suites that ask about inputs of two halves: those that rules were tuned on, and those that were held out."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import mean

from bench.brief.scoring import AROUND, Answers, Asked, Scores, faults, mapped, pointers, tail, total
from bench.doors import count
from bench.figure import Figure

BUDGETS = (500, 1_000, 2_000, 8_000)
LEAST = 0.95
"""Least share of the answers that a map leads to at the budget that a suite names."""


def figures(
    suite: str, made: Sequence[Asked], kinds: Callable[[Asked], Sequence[str]], judged: int
) -> Iterator[Figure]:
    """Yield, for each half and budget, how well maps answer, beside the end of the input, and what is wrong."""
    for held_out in (False, True):
        half = [case for case in made if case.held_out == held_out]
        for budget in BUDGETS:
            least = LEAST if budget == judged else 0.0
            yield from _measured(suite, half, budget, kinds, least, held_out=held_out)


def _measured(
    suite: str,
    half: Sequence[Asked],
    budget: int,
    kinds: Callable[[Asked], Sequence[str]],
    wanted: float,
    *,
    held_out: bool,
) -> Iterator[Figure]:
    mine, end, wrong = Scores(), Scores(), defaultdict[str, list[str]](list)
    size, seconds, cases = 0, 0.0, 0
    for one in half:
        if count(one.data.decode("utf-8", "replace")) <= budget:
            continue
        answers = Answers(one, budget)
        began = time.process_time()
        text, kind = mapped(one.data, "stdin", budget)
        seconds += time.process_time() - began
        size, cases = size + len(one.data), cases + 1
        score, short = answers.score(text, list(pointers(text))), answers.score(tail(answers.rows, budget - AROUND))
        mine.add(*score)
        end.add(*short)
        for what, why in faults(text, answers.rows, budget):
            wrong[what].append(f"{one.name}: {why}")
        if mapped(one.data, "stdin", budget)[0] != text:
            wrong["differs"].append(one.name)
        if kind not in kinds(one):
            wrong["kind"].append(f"{one.name}: {kind}")
        if total(*score[:2]) < total(*short[:2]) - 1e-9:
            wrong["worse than its end"].append(f"{one.name}: {total(*score[:2]):.2f}, the end {total(*short[:2]):.2f}")
    if not cases:
        return
    what = f"{'held out' if held_out else 'tuned on'}, {cases} inputs at {budget:,} tokens"
    reached = mean(share for shares in mine.reach.values() for share in shares) if mine.reach else 1.0
    target = f"reach >= {wanted}" if wanted else ""
    speed = f", {size / max(seconds, 1e-9) / 1e6:.0f} MB/s"
    yield Figure(suite, what, mine.line() + speed, None, target, reached >= wanted if target else None)
    yield Figure(suite, f"{what}: the end alone", end.line())
    for fault, where in wrong.items():
        yield Figure(suite, f"{what}: {fault}", f"{len(where)}", None, "0", False, tuple(where[:8]))
