"""Sizes are those that ctxkit count gives, and each text is counted once."""

import pytest

from ctxkit import wiring
from ctxkit.core.compact.token_counter import TokenCounter
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
