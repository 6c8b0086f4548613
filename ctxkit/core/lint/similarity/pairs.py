"""Finding the pairs of statements that may say the same, without looking at all of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log

from ctxkit.core.lint.similarity.comparison_budget import Effort

MAX_WORD_USES = 64
"""Statements that may share a word before it is too common to look up by; the two rarest words always are used."""
MIN_OVERLAP = 0.3
"""The least that weighted words of two statements must overlap, over all of both, to be looked at."""
SMOOTHING = 20
"""Statements added to the count, so that words weigh alike in a small workspace and in a large one."""


def compute_weights(word_sets: Mapping[str, frozenset[str]]) -> Mapping[str, float]:
    """Return how much each word tells: the logarithm of how few statements have it."""
    times: dict[str, int] = {}
    for bag in word_sets.values():
        for word in bag:
            times[word] = times.get(word, 0) + 1
    total = len(word_sets) + SMOOTHING
    return {word: log(total / (count + 1)) for word, count in times.items()}


def find_candidates(
    word_sets: Mapping[str, frozenset[str]],
    weigh: Mapping[str, float],
    can_pair: Callable[[str, str], bool],
    effort: Effort,
) -> Iterator[tuple[str, str]]:
    """Yield pairs of keys, each once, in order, that share a rare word and enough words for a closer look.

    A pair that overlaps by ALIKE must share one of the rarest words that make up the rest of either's weight. No
    more pairs come when the effort is exhausted.
    """
    index: dict[str, list[int]] = {}
    keys, bags = list(word_sets), list(word_sets.values())
    weight = weigh.__getitem__
    totals = [sum(map(weight, bag)) for bag in bags]
    common = _common_words(word_sets)
    for number, (bag, total) in enumerate(zip(bags, totals, strict=True)):
        seen: set[int] = set()
        for word in _rarest_words(bag, weigh, total, common):
            numbers = index.setdefault(word, [])
            if not effort.allow_lookups(len(numbers)):
                return
            seen.update(numbers)
            numbers.append(number)
        least, most = MIN_OVERLAP * total, total / MIN_OVERLAP
        heaviest = max(map(weight, bag))
        near: list[int] = []
        for other in seen:
            rest = totals[other]
            if least <= rest <= most:
                both = bag & bags[other]
                needed = (
                    MIN_OVERLAP * (total + rest) / (1 + MIN_OVERLAP)
                )  # of shared weight, to be ALIKE of what both have
                if len(both) * heaviest >= needed and sum(map(weight, both)) >= needed:
                    near.append(other)
        for other in sorted(near):
            if can_pair(keys[other], keys[number]):
                if not effort.allow_comparison(keys[other], keys[number]):
                    return
                yield keys[other], keys[number]


def _common_words(word_sets: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the words that too many statements have."""
    times: dict[str, int] = {}
    for bag in word_sets.values():
        for word in bag:
            times[word] = times.get(word, 0) + 1
    return frozenset(word for word, count in times.items() if count > MAX_WORD_USES)


def _rarest_words(
    bag: frozenset[str], weigh: Mapping[str, float], total: float, common: frozenset[str]
) -> Sequence[str]:
    """Return the words to look a statement up by: the rarest, until the rest cannot make up a pair."""
    ordered = sorted(bag, key=lambda word: (-weigh[word], word))
    selected: list[str] = []
    weight = 0.0
    for word in ordered:
        if weight > (1 - MIN_OVERLAP) * total:
            break
        weight += weigh[word]
        if len(selected) < 2 or word not in common:
            selected.append(word)
    return selected
