"""Weigh words by how rare they are in the statements of a workspace."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain
from math import log

SMOOTHING = 20
"""Statements added to the count, so that words have similar weights in small and large workspaces."""


def compute_weights(word_sets: Iterable[frozenset[str]]) -> Mapping[str, float]:
    """Return the weight of each word: the logarithm of its inverse frequency."""
    sets = list(word_sets)
    counts = Counter(chain.from_iterable(sets))
    total = len(sets) + SMOOTHING
    return {word: log(total / (count + 1)) for word, count in counts.items()}
