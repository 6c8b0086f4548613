"""A transcript is weighed as its content is counted, whole or as a part."""

import json

import pytest

from ctxkit.core.chat.transcript import transcript_of
from ctxkit.core.count.amount import Amount, sum_of
from ctxkit.core.count.content import counted
from ctxkit.core.count.conversation import method_of, weight
from ctxkit.core.count.order import Order
from ctxkit.core.estimate import tokenizer
from ctxkit.core.vocabulary import vocabulary_of

VOCABULARY = vocabulary_of("bytes/3")
ORDER = Order(VOCABULARY, tokenizer(VOCABULARY), json.loads, named=False)
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
def test_a_transcript_weighs_what_its_content_counts(document):
    data = json.dumps(document).encode()
    transcript = transcript_of(data, "test")
    amount, messages = weight(transcript, ORDER)
    assert amount == counted([data], "test", ORDER).amount
    assert messages >= 2
    part, _ = weight(transcript, ORDER, whole=False)
    assert 0 < part.tokens < amount.tokens


def test_parts_and_what_frames_them_are_the_whole():
    parts = [transcript_of(json.dumps(turn).encode(), "test") for turn in TURNS]
    together = weight(transcript_of(json.dumps(TURNS).encode(), "test"), ORDER)[0]
    first, second = weight(parts[0], ORDER)[0], weight(parts[1], ORDER, whole=False)[0]
    assert first.plus(second) == together


def test_only_one_number_of_a_public_vocabulary_is_exact():
    exact = ORDER._replace(vocabulary=vocabulary_of("o200k"))
    assert method_of(Amount(5, 5, 5), exact) == "exact"
    assert method_of(Amount(4, 5, 5), exact) == "estimate"
    assert method_of(Amount(5, 5, 5), ORDER) == "estimate"


def test_a_sum_of_nothing_is_nothing():
    assert sum_of([]) == Amount()
    assert sum_of([Amount(1, 2, 3), Amount(10, 20, 30)]) == Amount(11, 22, 33)
