"""Compute the similarity of two statements, and find conflicts between them."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

from ctxkit.core.lint.similarity.statement_conflict import find_conflict, find_missing_names, find_opposites
from ctxkit.core.lint.similarity.statement_traits import Traits, pole_of
from ctxkit.core.lint.similarity.vocabulary import strip_filler

FEW_SHARED_WORDS = 3
SWAP_FACTOR = 0.9
"""Factor of the similarity if a word is replaced and no more than ``FEW_SHARED_WORDS`` are shared."""
NAME_PENALTY = 0.2
"""Maximum reduction of the similarity if the statements share no names."""
WordWeight = Callable[[str], float]
"""Returns the weight of a word; rare words weigh more."""


class Similarity(NamedTuple):
    """The similarity of two statements: 1.0 for equal words.

    ``left`` and ``right`` are the words of only one statement. ``conflict`` is the reason why they say different
    things: number, negation, contrary, opposite or name; "" if there is none.
    """

    score: float
    conflict: str
    left: frozenset[str]
    right: frozenset[str]


def jaccard(first: frozenset[str], second: frozenset[str], weigh: WordWeight) -> float:
    """Return the weight of the shared words divided by that of all words."""
    shared = sum(map(weigh, first & second))
    rest = sum(map(weigh, first ^ second))
    return shared / (shared + rest) if shared else 0.0


@lru_cache(maxsize=4096)
def count_trigrams(normal: str) -> Mapping[str, int]:
    """Return the trigrams of a text and their counts."""
    padded = f" {normal} "
    return Counter(padded[index : index + 3] for index in range(len(padded) - 2))


def count_shared_trigrams(first: str, second: str) -> int:
    """Return the number of trigrams that two texts have in common."""
    left, right = count_trigrams(first), count_trigrams(second)
    if len(left) > len(right):
        left, right = right, left
    return sum(min(times, right.get(gram, 0)) for gram, times in left.items())


def dice(first: str, second: str) -> float:
    """Return the Dice coefficient of the trigrams of two texts."""
    return 2 * count_shared_trigrams(first, second) / (max(len(first), 1) + max(len(second), 1))


def compare_statements(first: Traits, second: Traits, texts: tuple[str, str], weigh: WordWeight) -> Similarity:
    """Return the similarity of two statements from their traits and their normalized texts.

    For a conflict, compute it without the words that exclude each other.
    """
    texts = (strip_filler(texts[0]), strip_filler(texts[1]))
    left, right = first.bag - second.bag, second.bag - first.bag
    conflict = find_conflict(first, second, texts)
    if conflict:
        excluded = find_opposites(first, second)
        rest = tuple(" ".join(word for word in text.split() if pole_of(word) not in excluded) for text in texts)
        return Similarity(
            _score_similarity(first.bag - excluded, second.bag - excluded, (rest[0], rest[1]), weigh),
            conflict,
            left,
            right,
        )
    score = _score_similarity(first.bag, second.bag, texts, weigh)
    if left and right and len(first.bag & second.bag) <= FEW_SHARED_WORDS:
        score *= SWAP_FACTOR
    names = first.names | second.names
    if names:
        unnamed = find_missing_names(first.names, second.names, texts[1]) | find_missing_names(
            second.names, first.names, texts[0]
        )
        score *= 1 - NAME_PENALTY * len(unnamed) / len(names)
    return Similarity(score, "", left, right)


def _score_similarity(
    first: frozenset[str], second: frozenset[str], texts: tuple[str, str], weigh: WordWeight
) -> float:
    return 0.5 * sqrt(jaccard(first, second, weigh)) + 0.5 * dice(*texts)


def is_prefix_pair(first: str, second: str) -> bool:
    """Return whether one of two normalized statements is a prefix of the other."""
    less, more = sorted((first, second), key=len)
    return more.startswith(f"{less} ")
