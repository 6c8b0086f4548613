"""A token count with its range, a counter of single texts with a vocabulary, and the options for counting."""

from collections.abc import Callable, Iterable
from math import ceil
from typing import Literal

from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.limits import Isolate, call_directly
from ctxkit.core.tokens.estimate import estimate_tokens
from ctxkit.core.tokens.token_count import CUT_SIZE, count_tokens
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary


class Amount(NamedTuple):
    """A token count with its lower and upper bound; all three are equal if the count is exact."""

    low: int = 0
    tokens: int = 0
    high: int = 0

    def plus(self, other: "Amount") -> "Amount":
        """Return the sum of two amounts."""
        return Amount(self.low + other.low, self.tokens + other.tokens, self.high + other.high)


ZERO = Amount()
_GUESS_LOW, _GUESS_HIGH = 0.8, 1.25
"""Factors for the range of an undocumented count, judged by similar providers instead of measured."""


def exact_amount(tokens: int) -> Amount:
    """Return an amount without a range."""
    return Amount(tokens, tokens, tokens)


def guessed_amount(amount: Amount) -> Amount:
    """Return an amount with the wider range of a guess."""
    return Amount(int(amount.low * _GUESS_LOW), amount.tokens, ceil(amount.high * _GUESS_HIGH))


def sum_amounts(amounts: Iterable[Amount]) -> Amount:
    """Return the sum of amounts."""
    low = tokens = high = 0
    for amount in amounts:
        low += amount[0]
        tokens += amount[1]
        high += amount[2]
    return Amount(low, tokens, high)


class TextCounter:
    """A counter of texts with a cache for short, frequent ones."""

    def __init__(self, vocabulary: Vocabulary, count: Tokenizer) -> None:
        self.vocabulary = vocabulary
        self._count = count
        self._words: dict[str, Amount] = {}

    def count(self, text: str) -> Amount:
        """Return the token count of a text; a long one is split like content, and estimated if no split is safe."""
        if not text:
            return ZERO
        if self.vocabulary.exact and len(text) <= CUT_SIZE:
            return exact_amount(self._count(text))
        if not self.vocabulary.exact and len(text) <= CUT_SIZE and text.isascii():  # decoding would change nothing
            return Amount(*estimate_tokens(text, self.vocabulary))
        token_count = count_tokens((text.encode("utf-8", "replace"),), self.vocabulary, self._count)
        return Amount(token_count.least, token_count.tokens, token_count.high)

    def count_word(self, text: str) -> Amount:
        """Return the token count of a role or a name."""
        if text not in self._words:
            self._words[text] = self.count(text)
        return self._words[text]


Input = Literal["auto", "text", "chat"]


class CountOptions(NamedTuple):
    """The options for counting.

    ``parse`` reads JSON as ``open_content`` requires. ``model`` determines the message template; unless a model or a
    tokenizer ``is_named``, the provider of the conversation's format does. ``format`` is the format of conversations,
    empty for detection; ``skip_bad`` leaves out lines that are not JSON. ``rows`` requests counts by message.
    ``isolate`` runs the reader in another process.
    """

    vocabulary: Vocabulary
    count: Tokenizer
    parse: Callable[[bytes], JsonValue]
    model: str = ""
    is_named: bool = True
    input: Input = "auto"
    format: str = ""
    rows: bool = False
    isolate: Isolate = call_directly
    skip_bad: bool = False
