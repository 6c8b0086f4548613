"""Token counts of single texts with a vocabulary."""

from ctxkit.core.count.amount import ZERO, Amount, exact_amount
from ctxkit.core.tokens.estimate import estimate_tokens
from ctxkit.core.tokens.token_count import CUT_SIZE, count_tokens
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary


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
