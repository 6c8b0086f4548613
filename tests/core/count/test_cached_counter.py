"""A message that is counted again costs nothing, and its count is the same."""

from ctxkit.core.chat.model.message import ChatMessage, MessagePart
from ctxkit.core.count.cached_counter import CachedMessageCounter, CachedTextCounter
from ctxkit.core.count.message_tokens import MessageCounter
from ctxkit.core.count.scheme import find_scheme
from ctxkit.core.count.text_counter import TextCounter
from ctxkit.core.tokens.vocabularies import find_vocabulary

VOCABULARY = find_vocabulary("o200k")
MESSAGE = ChatMessage("user", (MessagePart("text", "run the tests"),))


def test_a_message_is_counted_once() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text.split())

    scheme = find_scheme("", VOCABULARY, "openai")
    counter = CachedMessageCounter(scheme, CachedTextCounter(VOCABULARY, count))
    first = counter.count_message(MESSAGE)
    before = len(counted)
    assert counter.count_message(ChatMessage(*MESSAGE)) is first
    assert len(counted) == before
    plain = MessageCounter(scheme, TextCounter(VOCABULARY, count))
    assert plain.count_message(MESSAGE) == first
