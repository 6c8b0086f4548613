"""Measuring texts one by one with a vocabulary."""

from ctxkit.core.count.amount import NOTHING, Amount, exactly
from ctxkit.core.tally import CUT, tally
from ctxkit.core.tokenizer import Tokenizer
from ctxkit.core.vocabulary import Vocabulary


class Meter:
    """Give the tokens of texts, and remember those of short ones that come again and again."""

    def __init__(self, vocabulary: Vocabulary, count: Tokenizer) -> None:
        self.vocabulary = vocabulary
        self._count = count
        self._words: dict[str, Amount] = {}

    def of(self, text: str) -> Amount:
        """Return the tokens of a text; a long one is cut as content is, and an estimate if no cut is safe."""
        if not text:
            return NOTHING
        if self.vocabulary.exact and len(text) <= CUT:
            return exactly(self._count(text))
        found = tally((text.encode("utf-8", "replace"),), self.vocabulary, self._count)
        return Amount(found.least, found.tokens, found.high)

    def word(self, text: str) -> Amount:
        """Return the tokens of a role or a name."""
        if text not in self._words:
            self._words[text] = self.of(text)
        return self._words[text]
