"""Estimate the tokens of a text from its features, with a lower and an upper end, and correction factors."""

from math import ceil, floor, log2
from operator import add, mul
from typing import TYPE_CHECKING

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.tokens.vocabulary import NFC_GROWTH, UNKNOWN_WEIGHTS, Vocabulary, measure_utf8, rate_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctxkit.core.tokens.vocabulary import Tokenizer

BLOCK = 1 << 18
"""Characters processed at once; a word divided by the cut adds a token at most."""
_LONG_TEXT = 2_000
"""Number of bytes from which the limits of the excess hold; each half of it adds EXCESS_OF_HALF."""
_USUAL_EXCESS, _UNUSUAL_EXCESS, _EXCESS_OF_HALF = 0.15, 0.2, 0.15
"""Shares by which a text may exceed its estimate, if its make-up is usual, and if it is not.

Nine vocabularies, each with the median of its own factor, count at most as much for 98.2 % of 678 texts of 2 KB and
more (bench/bands.py), and Claude for 99 % of its receipts (bench/receipts.py).
"""
_LARGE_TEXT, _OWN_EXCESS, _OWN_EXCESS_OF_HALF = 100_000, 0.08, 0.02
"""Number of bytes from which, and share by which, a text may exceed an estimate with its vocabulary's own weights.

Each half of the number adds OWN_EXCESS_OF_HALF. Gemma 3 counts at most as much for 98 % of 604 texts (bench/bands.py).
"""
_UNUSUAL_MAKE_UP = 0.45
"""Share from which the features of a text are unusual: hashes, drawings, rare scripts."""


class TokenEstimate(NamedTuple):
    """The most likely token count of a text, and the interval that contains nearly all true counts.

    On texts not used for the fit, it contains about 93 of 100 true counts if the vocabulary is known
    (tools/fitting/estimates.py).
    """

    low: int
    tokens: int
    high: int


class TokenEstimator:
    """Sums the features of texts in constant memory."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._feature_counts: list[float] = []
        self._bytes = 0
        self._ascii = True

    def add(self, text: str) -> None:
        """Add a text, or the next part of a text."""
        from ctxkit.core.tokens.features import count_features

        for part in (text[start : start + BLOCK] for start in range(0, len(text), BLOCK)):
            counts = count_features(part)
            self._feature_counts = list(map(add, self._feature_counts, counts)) if self._feature_counts else counts
        self._bytes += measure_utf8(text)
        self._ascii = self._ascii and text.isascii()

    def estimate(self) -> TokenEstimate:
        """Return the estimate for all added text."""
        vocabulary = self._vocabulary
        if not self._bytes:
            return TokenEstimate(0, 0, 0)
        guess, less, more = _weigh_features(self._feature_counts, vocabulary)
        most = self._bytes * (1 if self._ascii else vocabulary.growth or NFC_GROWTH) + vocabulary.prefix
        tokens = min(max(ceil(guess * vocabulary.factor), 1), most)
        if vocabulary.is_calibrated and guess:
            is_own = vocabulary.weights != UNKNOWN_WEIGHTS
            more = min(more, guess * _limit_excess(self._bytes, more / guess, is_own=is_own))
        low = floor(max(guess - less, 0) * vocabulary.factor * vocabulary.low)
        high = ceil((guess + more) * vocabulary.factor * vocabulary.high)
        return TokenEstimate(min(low, tokens), tokens, min(max(high, tokens), most))


def _limit_excess(size: int, excess: float, *, is_own: bool) -> float:
    """Return the largest share by which a text may exceed its estimate, if the factor of its vocabulary is known.

    The errors of a long text cancel out, those of the vocabulary only if the weights are its own (``is_own``). Text of
    unusual make-up, which has a large ``excess``, gets a larger share.
    """
    least = _USUAL_EXCESS if excess <= _UNUSUAL_MAKE_UP else _UNUSUAL_EXCESS
    limit = least + _EXCESS_OF_HALF * max(log2(_LONG_TEXT / size), 0.0)
    return min(limit, _OWN_EXCESS + _OWN_EXCESS_OF_HALF * max(log2(_LARGE_TEXT / size), 0.0)) if is_own else limit


def _weigh_features(counts: list[float], vocabulary: Vocabulary) -> tuple[float, float, float]:
    """Return the most likely count, and how much lower and higher it may be."""
    from ctxkit.core.tokens.features import SPANS, feature_weights

    weights, lower, higher = feature_weights(vocabulary.weights)
    guess, less, more = 0.0, lower[-1], higher[-1]
    for (start, end, is_latin), below, above in zip(SPANS, lower, higher, strict=False):
        group_counts = counts[start:end]
        if any(group_counts):  # a short text has two or three of the groups
            tokens = sum(map(mul, group_counts, weights[start:end])) * (vocabulary.words if is_latin else 1)
            guess, less, more = guess + tokens, less + tokens * below, more + tokens * above
    return guess, less, more


def estimate_tokens(text: str, vocabulary: Vocabulary) -> TokenEstimate:
    """Return the estimated tokens of a text."""
    if vocabulary.rate:
        tokens = rate_tokenizer(vocabulary)(text)
        return TokenEstimate(tokens, tokens, tokens)
    estimator = TokenEstimator(vocabulary)
    estimator.add(text)
    return estimator.estimate()


def likely_tokenizer(vocabulary: Vocabulary) -> "Tokenizer":
    """Return a tokenizer that gives the most likely count, without an engine."""
    return lambda text: estimate_tokens(text, vocabulary).tokens


def upper_bound_tokenizer(vocabulary: Vocabulary) -> "Tokenizer":
    """Return a tokenizer that gives the upper end of the estimate."""
    return lambda text: estimate_tokens(text, vocabulary).high


def estimate_chunks(
    texts: "Iterable[str]", vocabulary: Vocabulary, limit: int | None = None
) -> tuple[TokenEstimate, bool]:
    """Return the estimate for a text in parts, and whether all of it was read.

    Stop when the upper end exceeds ``limit``. The boundaries of the parts do not affect the estimate.
    """
    estimator = TokenEstimator(vocabulary)
    for block in _split_blocks(texts):
        estimator.add(block)
        if limit is not None and len(block) == BLOCK and estimator.estimate().high > limit:
            return estimator.estimate(), False
    return estimator.estimate(), True


def _split_blocks(texts: "Iterable[str]") -> "Iterator[str]":
    """Yield the text in blocks of equal size, except the last."""
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


LOWEST_FACTOR, HIGHEST_FACTOR = 0.1, 10.0
"""Limits of plausible factors."""


class Factor(NamedTuple):
    """The factor of a family's estimates, and additional factors of their ends; learned from ``receipts`` receipts."""

    factor: float
    low: float = 1.0
    high: float = 1.0
    receipts: int = 0

    def apply_to(self, vocabulary: Vocabulary) -> Vocabulary:
        """Return the vocabulary with this factor and these ends, replacing its defaults."""
        return vocabulary._replace(factor=self.factor, low=self.low, high=self.high, is_calibrated=True)

    def to_toml(self) -> str:
        """Return the factor as an inline table of TOML."""
        return f"{{ factor = {self.factor}, low = {self.low}, high = {self.high}, receipts = {self.receipts} }}"


def parse_factor(value: object) -> Factor:
    """Return the factor in a settings file: a number, or a table with ``factor``.

    Raise ValueError if it is neither or implausible.
    """
    table = value if isinstance(value, dict) else {"factor": value}
    unknown = set(table) - set(Factor._fields)
    if unknown or "factor" not in table:
        raise ValueError("is not a factor, nor a table with factor, low, high and receipts")
    numbers = list(table.values())
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in numbers):
        raise ValueError("holds a value that is not a number")
    factor = Factor(**table)
    if not (LOWEST_FACTOR <= factor.factor <= HIGHEST_FACTOR and 0 < factor.low <= 1 <= factor.high <= HIGHEST_FACTOR):
        raise ValueError(
            f"is out of range: a factor from {LOWEST_FACTOR:g} to {HIGHEST_FACTOR:g}, low up to 1, high from 1"
        )
    return factor
