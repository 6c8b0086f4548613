from random import Random

import pytest

from bench.fuzz.conversations import FORMATS, make_conversation
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches


@pytest.mark.parametrize("seed", range(60))
def test_what_is_made_is_a_valid_conversation(seed: int) -> None:
    transcript = parse_transcript(make_conversation(Random(seed)), "chat")
    assert transcript.records
    assert {breach.rule for breach in find_breaches(transcript)} <= {"opening"}  # it may end with the answer


def test_every_format_is_made() -> None:
    names = {parse_transcript(make_conversation(Random(seed)), "chat").format.NAME for seed in range(60)}
    assert len(names) == len(FORMATS)
