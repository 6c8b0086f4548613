"""Estimating tokens where no vocabulary is at hand: from what a text is made of, with both ends of what it may be."""

from math import ceil, floor
from operator import add, mul
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.tokens.vocabulary import NFC_GROWTH, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctxkit.core.tokens.tokenizer import Tokenizer

BLOCK = 1 << 18
"""Characters that are looked at together; what a cut divides adds a token at most."""


class TokenEstimate(NamedTuple):
    """Say how many tokens a text takes most likely, and between which two numbers nearly all texts like it lie.

    On text that had no part in the fit the true count is within for about 93 chunks of 100 where the
    vocabulary is known (bench/estimates.py).
    """

    low: int
    tokens: int
    high: int


class TokenEstimator:
    """Add up what texts are made of; memory does not grow with them."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._feature_counts: list[float] = []
        self._bytes = 0
        self._ascii = True

    def add(self, text: str) -> None:
        """Take a text, or the next part of one."""
        if self._vocabulary.weights:
            from ctxkit.core.tokens.features import count_features

            for part in (text[start : start + BLOCK] for start in range(0, len(text), BLOCK)):
                counts = count_features(part)
                self._feature_counts = list(map(add, self._feature_counts, counts)) if self._feature_counts else counts
        plain = text.isascii()
        self._bytes += len(text) if plain else len(text.encode("utf-8", "replace"))
        self._ascii = self._ascii and plain

    def estimate(self) -> TokenEstimate:
        """Return the tokens of all that was taken."""
        vocabulary = self._vocabulary
        if not vocabulary.weights:
            thirds = -(-self._bytes // 3)
            return TokenEstimate(thirds, thirds, thirds)
        if not self._bytes:
            return TokenEstimate(0, 0, 0)
        guess, less, more = _weigh_features(self._feature_counts, vocabulary)
        most = self._bytes * (1 if self._ascii else vocabulary.growth or NFC_GROWTH) + vocabulary.prefix
        tokens = min(max(ceil(guess * vocabulary.factor), 1), most)
        low = floor(max(guess - less, 0) * vocabulary.factor * vocabulary.low)
        high = ceil((guess + more) * vocabulary.factor * vocabulary.high)
        return TokenEstimate(min(low, tokens), tokens, min(max(high, tokens), most))


def _weigh_features(counts: list[float], vocabulary: Vocabulary) -> tuple[float, float, float]:
    """Return the most likely count, how much less it may be, and how much more."""
    from ctxkit.core.tokens.features import SPANS
    from ctxkit.core.tokens.weights import feature_weights

    weights, lower, higher = feature_weights(vocabulary.weights)
    guess, less, more = 0.0, lower[-1], higher[-1]
    for (start, end, is_latin), below, above in zip(SPANS, lower, higher, strict=False):
        group_counts = counts[start:end]
        if any(group_counts):  # a short text has two or three of the groups
            tokens = sum(map(mul, group_counts, weights[start:end])) * (vocabulary.words if is_latin else 1)
            guess, less, more = guess + tokens, less + tokens * below, more + tokens * above
    return guess, less, more


def estimate_tokens(text: str, vocabulary: Vocabulary) -> TokenEstimate:
    """Return how many tokens a text takes in an estimated vocabulary."""
    estimator = TokenEstimator(vocabulary)
    estimator.add(text)
    return estimator.estimate()


def likely_tokenizer(vocabulary: Vocabulary) -> "Tokenizer":
    """Return a counter that gives the most likely number of tokens; no engine is needed."""
    return lambda text: estimate_tokens(text, vocabulary).tokens


def upper_bound_tokenizer(vocabulary: Vocabulary) -> "Tokenizer":
    """Return a counter that gives the most a text is likely to take."""
    return lambda text: estimate_tokens(text, vocabulary).high


def estimate_chunks(
    texts: "Iterable[str]", vocabulary: Vocabulary, limit: int | None = None
) -> tuple[TokenEstimate, bool]:
    """Return the tokens of a text that comes in parts, and whether all of it was read.

    Reading stops when the high end has passed ``limit``. How the text is cut into parts makes no difference.
    """
    estimator = TokenEstimator(vocabulary)
    for block in _split_blocks(texts):
        estimator.add(block)
        if limit is not None and len(block) == BLOCK and estimator.estimate().high > limit:
            return estimator.estimate(), False
    return estimator.estimate(), True


def _split_blocks(texts: "Iterable[str]") -> "Iterator[str]":
    """Yield text in blocks of one size, but for the last."""
    parts: list[str] = []
    size = 0
    for text in texts:
        parts.append(text)
        size += len(text)
        if size < BLOCK:
            continue
        joined = "".join(parts)
        cut = size - size % BLOCK
        yield from (joined[start : start + BLOCK] for start in range(0, cut, BLOCK))
        parts, size = [joined[cut:]], size - cut
    yield "".join(parts)
