"""Cached token counts of a conversation and its entries, equal to those of ``ctxkit count``."""

from collections.abc import Iterable

from ctxkit.core.chat.model.message import ChatMessage
from ctxkit.core.chat.model.record import Record
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.count.amount import Amount
from ctxkit.core.count.conversation_tokens import ConversationCounter, ConversationTokens
from ctxkit.core.count.message_tokens import MessageCounter, MessageTokens
from ctxkit.core.count.scheme import find_scheme
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


class TokenCounter(MessageCounter):
    """A message counter that counts each distinct message once, so that stages recount only changes.

    Sizes are upper bounds; for a public vocabulary they are nearly exact.
    """

    def __init__(self, vocabulary: Vocabulary, count: Tokenizer, model: str = "", provider: str = "") -> None:
        super().__init__(find_scheme(model, vocabulary, provider), CachedTextCounter(vocabulary, count), model)
        self._rows: dict[ChatMessage, MessageTokens] = {}

    def count_message(self, message: ChatMessage) -> MessageTokens:
        """Return the token counts of a message."""
        row = self._rows.get(message)
        if row is None:
            row = self._rows[message] = super().count_message(message)
        return row

    def count_record(self, record: Record) -> int:
        """Return the upper token count of an entry."""
        return sum(self.count_message(message).amount.high for message in record.messages)

    def count_records(self, records: Iterable[Record]) -> int:
        """Return the sum of the upper token counts of entries."""
        return sum(map(self.count_record, records))

    def count_text(self, text: str) -> int:
        """Return the upper token count of a text."""
        return self.text_counter.count(text).high

    def count_transcript(self, transcript: Transcript) -> ConversationTokens:
        """Return the token counts of a whole conversation."""
        totals = ConversationCounter(self, linear=transcript.format.LINEAR, rows=False)
        for entry in transcript.head:
            totals.add(entry)
        for record in transcript.records:
            for entry in record.entries:
                totals.add(entry)
        return totals.finish()
