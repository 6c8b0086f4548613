"""Cached token counts of a conversation and its entries, equal to those of ``ctxkit count``."""

from collections.abc import Iterable

from ctxkit.core.chat.editing import EditableFormat
from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.count.conversation import CachedMessageCounter, CachedTextCounter
from ctxkit.core.count.conversation_tokens import ConversationCounter, ConversationTokens
from ctxkit.core.count.options import CountOptions
from ctxkit.core.count.scheme import find_scheme
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary


class TokenCounter(CachedMessageCounter):
    """A message counter that counts each distinct message once, so that stages recount only changes.

    Sizes are upper bounds; for a public vocabulary they are nearly exact.
    """

    def __init__(self, vocabulary: Vocabulary, count: Tokenizer, model: str = "", provider: str = "") -> None:
        super().__init__(find_scheme(model, vocabulary, provider), CachedTextCounter(vocabulary, count), model)
        self._records: dict[int, tuple[Record, int]] = {}

    def count_record(self, record: Record) -> int:
        """Return the upper token count of an entry; each entry is counted once."""
        counted = self._records.get(id(record))  # hashing an entry reads all of it; the cache keeps it, and so its id
        if counted is None:
            tokens = 0
            for message in record.messages:
                for _, amount in self.count_message(message).costs:
                    tokens += amount.high
            counted = self._records[id(record)] = record, tokens
        return counted[1]

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


def make_token_counter(count_options: CountOptions, format_: EditableFormat) -> TokenCounter:
    """Return the counter of conversations in a format; the provider of the format sets the overhead of a message.

    If the user named a tokenizer or a model, the overhead is that of the model.
    """
    provider = "" if count_options.is_named else format_.PROVIDER
    return TokenCounter(count_options.vocabulary, count_options.count, count_options.model, provider)
