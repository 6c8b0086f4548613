"""A transcript is weighed as its content is counted, whole or as a part."""

import json

import pytest

from ctxkit.core.chat.model.message import ChatMessage, MessagePart
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.count.amount import Amount, CountOptions, TextCounter, sum_amounts
from ctxkit.core.count.content import count_content
from ctxkit.core.count.conversation import CachedMessageCounter, CachedTextCounter, count_transcript, method_of
from ctxkit.core.count.message_tokens import MessageCounter, find_scheme
from ctxkit.core.tokens.estimate import likely_tokenizer
from ctxkit.core.tokens.vocabulary import find_vocabulary

VOCABULARY = find_vocabulary("bytes/3")
ORDER = CountOptions(VOCABULARY, likely_tokenizer(VOCABULARY), json.loads, is_named=False)
TURNS = [{"role": "user", "content": "hi there"}, {"role": "assistant", "content": "yes"}]
TOOL = {"type": "function", "function": {"name": "f", "description": "does it", "parameters": {"type": "object"}}}


@pytest.mark.parametrize(
    "document",
    [
        TURNS,
        {"model": "m", "messages": TURNS, "tools": [TOOL]},
        {"model": "claude", "max_tokens": 5, "system": "Be brief.", "messages": TURNS},
    ],
)
def test_a_transcript_weighs_what_its_content_counts(document) -> None:
    data = json.dumps(document).encode()
    transcript = parse_transcript(data, "test")
    amount, messages = count_transcript(transcript, ORDER)
    assert amount == count_content([data], "test", ORDER).amount
    assert messages >= 2
    part, _ = count_transcript(transcript, ORDER, whole=False)
    assert 0 < part.tokens < amount.tokens


def test_parts_and_what_frames_them_are_the_whole() -> None:
    parts = [parse_transcript(json.dumps(turn).encode(), "test") for turn in TURNS]
    together = count_transcript(parse_transcript(json.dumps(TURNS).encode(), "test"), ORDER)[0]
    first, second = count_transcript(parts[0], ORDER)[0], count_transcript(parts[1], ORDER, whole=False)[0]
    assert first.plus(second) == together


def test_only_one_number_of_a_public_vocabulary_is_exact() -> None:
    exact = ORDER._replace(vocabulary=find_vocabulary("o200k"))
    assert method_of(Amount(5, 5, 5), exact) == "exact"
    assert method_of(Amount(4, 5, 5), exact) == "estimate"
    assert method_of(Amount(5, 5, 5), ORDER) == "estimate"


def test_a_sum_of_nothing_is_nothing() -> None:
    assert sum_amounts([]) == Amount()
    assert sum_amounts([Amount(1, 2, 3), Amount(10, 20, 30)]) == Amount(11, 22, 33)


VOCABULARY_CACHED_COUNTER = find_vocabulary("o200k")
MESSAGE = ChatMessage("user", (MessagePart("text", "run the tests"),))


def test_a_message_is_counted_once() -> None:
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text.split())

    scheme = find_scheme("", VOCABULARY_CACHED_COUNTER, "openai")
    counter = CachedMessageCounter(scheme, CachedTextCounter(VOCABULARY_CACHED_COUNTER, count))
    first = counter.count_message(MESSAGE)
    before = len(counted)
    assert counter.count_message(ChatMessage(*MESSAGE)) is first
    assert len(counted) == before
    plain = MessageCounter(scheme, TextCounter(VOCABULARY_CACHED_COUNTER, count))
    assert plain.count_message(MESSAGE) == first
