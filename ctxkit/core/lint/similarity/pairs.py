"""Find candidate pairs of similar statements without comparing all pairs."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from math import log

from ctxkit.core.lint.similarity.comparison_budget import Effort

MAX_WORD_USES = 64
"""Number of statements above which a shared word is too common for lookups; the two rarest words are always used."""
MIN_OVERLAP = 0.3
"""Minimum weighted overlap of two statements' words, as a share of all their words."""
SMOOTHING = 20
"""Statements added to the count, so that words have similar weights in small and large workspaces."""


def compute_weights(word_sets: Mapping[str, frozenset[str]]) -> Mapping[str, float]:
    """Return the weight of each word: the logarithm of its inverse frequency."""
    times = Counter(chain.from_iterable(word_sets.values()))
    total = len(word_sets) + SMOOTHING
    return {word: log(total / (count + 1)) for word, count in times.items()}


def find_candidates(
    word_sets: Mapping[str, frozenset[str]],
    weigh: Mapping[str, float],
    can_pair: Callable[[str, str], bool],
    effort: Effort,
) -> Iterator[tuple[str, str]]:
    """Yield pairs of keys, each once, in order, that share a rare word and have enough overlap.

    A pair with an overlap of ``MIN_OVERLAP`` must share one of the rarest words of either. Stop if the effort is
    exhausted.
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
        for other in sorted(other for other in seen if least <= totals[other] <= most):
            needed = MIN_OVERLAP * (total + totals[other]) / (1 + MIN_OVERLAP)
            if _weighs_at_least(needed, bag & bags[other], heaviest, weight) and can_pair(keys[other], keys[number]):
                if not effort.allow_comparison(keys[other], keys[number]):
                    return
                yield keys[other], keys[number]


def _weighs_at_least(needed: float, words: frozenset[str], heaviest: float, weight: Callable[[str], float]) -> bool:
    """Return whether words have a total weight, given the weight of the ``heaviest``."""
    return len(words) * heaviest >= needed and sum(map(weight, words)) >= needed


def _common_words(word_sets: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Return the words that too many statements contain."""
    times = Counter(chain.from_iterable(word_sets.values()))
    return frozenset(word for word, count in times.items() if count > MAX_WORD_USES)


def _rarest_words(
    bag: frozenset[str], weigh: Mapping[str, float], total: float, common: frozenset[str]
) -> Sequence[str]:
    """Return the words for lookups: the rarest, until the rest cannot make up a pair."""
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
