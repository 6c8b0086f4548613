"""Finding the pairs of statements that may say the same, without looking at all of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log

from ctxkit.core.lint.effort import Effort

COMMON = 64
"""Statements that may share a word before it is too common to look up by; the two rarest words always are used."""
ALIKE = 0.3
"""The least that weighted words of two statements must overlap, over all of both, to be looked at."""
SMOOTH = 20
"""Statements added to the count, so that words weigh alike in a small workspace and in a large one."""


def weights(said: Mapping[str, frozenset[str]]) -> Mapping[str, float]:
    """Return how much each word tells: the logarithm of how few statements have it."""
    times: dict[str, int] = {}
    for bag in said.values():
        for word in bag:
            times[word] = times.get(word, 0) + 1
    total = len(said) + SMOOTH
    return {word: log(total / (count + 1)) for word, count in times.items()}


def candidates(
    said: Mapping[str, frozenset[str]], weigh: Mapping[str, float], meet: Callable[[str, str], bool], effort: Effort
) -> Iterator[tuple[str, str]]:
    """Yield pairs of keys, each once, in order, that share a rare word and enough words for a closer look.

    A pair that overlaps by ALIKE must share one of the rarest words that make up the rest of either's weight. No
    more pairs come when the effort is exhausted.
    """
    index: dict[str, list[int]] = {}
    keys, bags = list(said), list(said.values())
    weight = weigh.__getitem__
    totals = [sum(map(weight, bag)) for bag in bags]
    common = _common(said)
    for number, (bag, total) in enumerate(zip(bags, totals, strict=True)):
        seen: set[int] = set()
        for word in _rarest(bag, weigh, total, common):
            held = index.setdefault(word, [])
            if not effort.look_up(len(held)):
                return
            seen.update(held)
            held.append(number)
        least, most = ALIKE * total, total / ALIKE
        heaviest = max(map(weight, bag))
        near: list[int] = []
        for other in seen:
            rest = totals[other]
            if least <= rest <= most:
                both = bag & bags[other]
                needed = ALIKE * (total + rest) / (1 + ALIKE)  # of shared weight, to be ALIKE of what both have
                if len(both) * heaviest >= needed and sum(map(weight, both)) >= needed:
                    near.append(other)
        for other in sorted(near):
            if meet(keys[other], keys[number]):
                if not effort.compare(keys[other], keys[number]):
                    return
                yield keys[other], keys[number]


def _common(said: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the words that too many statements have."""
    times: dict[str, int] = {}
    for bag in said.values():
        for word in bag:
            times[word] = times.get(word, 0) + 1
    return frozenset(word for word, count in times.items() if count > COMMON)


def _rarest(bag: frozenset[str], weigh: Mapping[str, float], total: float, common: frozenset[str]) -> Sequence[str]:
    """Return the words to look a statement up by: the rarest, until the rest cannot make up a pair."""
    ordered = sorted(bag, key=lambda word: (-weigh[word], word))
    chosen: list[str] = []
    weight = 0.0
    for word in ordered:
        if weight > (1 - ALIKE) * total:
            break
        weight += weigh[word]
        if len(chosen) < 2 or word not in common:
            chosen.append(word)
    return chosen
