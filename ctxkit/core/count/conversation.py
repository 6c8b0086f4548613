"""Token counts of a conversation: the messages that a model receives."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ctxkit.core.chat.model.message import ChatEntry, ChatMessage
from ctxkit.core.chat.reading.format_registry import ConversationFormat, get_format
from ctxkit.core.chat.reading.open_content import OpenedContent, open_content
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.count.amount import Amount, CountOptions, TextCounter, sum_amounts
from ctxkit.core.count.conversation_tokens import ConversationCounter, ConversationTokens
from ctxkit.core.count.message_tokens import MessageCounter, MessageTokens, Scheme, find_scheme
from ctxkit.core.tokens.vocabulary import Tokenizer, Vocabulary

if TYPE_CHECKING:
    from ctxkit.core.tokens.token_count import Method


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


def recognize_content(chunks: Iterable[bytes], name: str, count_options: CountOptions) -> OpenedContent:
    """Return content as a conversation or as text; raise MalformedInputError if it is invalid."""
    given_format = get_format(count_options.format) if count_options.format else None
    return open_content(chunks, count_options.parse, name, given_format, skip_bad=count_options.skip_bad)


def count_recognized(content: OpenedContent, count_options: CountOptions) -> ConversationTokens:
    """Return the token counts of a conversation; raise MalformedInputError if it is invalid."""
    assert content.format is not None
    return count_entries(content.entries, content.format, count_options)


def make_counter(format_: ConversationFormat, count_options: CountOptions) -> MessageCounter:
    """Return the message counter for a format."""
    counter = TextCounter(count_options.vocabulary, count_options.count)
    return MessageCounter(_find_scheme(format_, count_options), counter, count_options.model)


def make_cached_counter(format_: ConversationFormat, count_options: CountOptions) -> CachedMessageCounter:
    """Return a message counter for a format that counts each message once, and so holds all messages."""
    counter = CachedTextCounter(count_options.vocabulary, count_options.count)
    return CachedMessageCounter(_find_scheme(format_, count_options), counter, count_options.model)


def _find_scheme(format_: ConversationFormat, count_options: CountOptions) -> Scheme:
    provider = "" if count_options.is_named else format_.PROVIDER
    return find_scheme(count_options.model, count_options.vocabulary, provider)


def count_entries(
    entries: Iterable[ChatEntry],
    format_: ConversationFormat,
    count_options: CountOptions,
    counter: MessageCounter | None = None,
) -> ConversationTokens:
    """Return the token counts of the entries of a conversation."""
    counter = counter or make_counter(format_, count_options)
    totals = ConversationCounter(counter, linear=format_.LINEAR, rows=count_options.rows)
    for entry in entries:
        totals.add(entry)
    return totals.finish()


def count_transcript(
    transcript: Transcript, count_options: CountOptions, counter: MessageCounter | None = None, *, whole: bool = True
) -> tuple[Amount, int]:
    """Return the tokens and the number of messages that a model receives for a conversation.

    Unless it is ``whole``, count only the messages, without tools and template overhead, as for a part of a
    conversation. A ``counter`` with a cache spares what it has counted before.
    """
    entries = (entry for record in transcript.records for entry in record.entries)
    total = count_entries((*transcript.head, *entries), transcript.format, count_options._replace(rows=True), counter)
    rows = total.rows if whole else total.rows[: total.messages]
    return sum_amounts(row.amount for row in rows), total.messages


def method_of(amount: Amount, count_options: CountOptions) -> "Method":
    """Return whether an amount is exact or an estimate."""
    return "exact" if count_options.vocabulary.exact and amount.low == amount.high else "estimate"
