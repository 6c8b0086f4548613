"""A message counter with a cache, for conversations that are counted several times."""

from ctxkit.core.chat.model.message import ChatMessage
from ctxkit.core.count.amount import Amount
from ctxkit.core.count.message_tokens import MessageCounter, MessageTokens
from ctxkit.core.count.scheme import Scheme
from ctxkit.core.count.text_counter import TextCounter
from ctxkit.core.tokens.tokenizer import Tokenizer
from ctxkit.core.tokens.vocabulary import Vocabulary


class CachedTextCounter(TextCounter):
    """A text counter that counts each distinct text once."""

    def __init__(self, vocabulary: Vocabulary, count: Tokenizer) -> None:
        super().__init__(vocabulary, count)
        self._counts: dict[str, Amount] = {}

    def count(self, text: str) -> Amount:
        """Return the token count of a text."""
        amount = self._counts.get(text)
        if amount is None:
            amount = self._counts[text] = super().count(text)
        return amount


class CachedMessageCounter(MessageCounter):
    """A message counter that counts each distinct message once."""

    def __init__(self, scheme: Scheme, counter: CachedTextCounter, model: str = "") -> None:
        super().__init__(scheme, counter, model)
        self._rows: dict[ChatMessage, MessageTokens] = {}

    def count_message(self, message: ChatMessage) -> MessageTokens:
        """Return the token counts of a message."""
        row = self._rows.get(message)
        if row is None:
            row = self._rows[message] = super().count_message(message)
        return row
