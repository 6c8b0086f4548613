"""Sizes are those that ctxkit count gives, and each text is counted once."""

import pytest

from ctxkit import wiring
from ctxkit.core.compact.token_counter import TokenCounter, make_token_counter
from ctxkit.core.count.content import count_content
from ctxkit.core.count.options import CountOptions
from tests.core.chat.talks import FORMATS
from tests.core.compact.sizes import COUNT, O200K, balance, session


@pytest.mark.parametrize("name", FORMATS)
def test_the_whole_is_what_is_counted_elsewhere(name) -> None:
    transcript = session(name, 8)
    order = CountOptions(O200K, COUNT, wiring.parse_json, is_named=False, input="chat")
    found = count_content([transcript.encode(transcript.text)], "x", order)
    assert balance(transcript).count_transcript(transcript).amount == found.amount


def test_a_text_is_counted_once() -> None:
    seen = []

    def count(text):
        seen.append(text)
        return COUNT(text)

    transcript = session("openai", 8)
    scale = TokenCounter(O200K, count)
    for _ in range(3):
        scale.count_transcript(transcript)
        scale.count_records(transcript.records)
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("name", FORMATS)
def test_the_format_decides_on_the_overhead_unless_a_model_is_named(name: str) -> None:
    transcript = session(name, 2)
    order = CountOptions(O200K, COUNT, wiring.parse_json, is_named=False)
    nameless, named = (
        make_token_counter(options, transcript.format).count_transcript(transcript).amount
        for options in (order, order._replace(is_named=True))
    )
    assert nameless == balance(transcript).count_transcript(transcript).amount
    assert named == TokenCounter(O200K, COUNT).count_transcript(transcript).amount
