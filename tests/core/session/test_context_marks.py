"""A mark belongs to the bytes of a message, wherever they stand."""

import json

from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.session.context_marks import MarkedMessages, digest_message, find_kept_texts, group_marks

CHAT = [{"role": "user", "content": "Mend it."}, {"role": "assistant", "content": "Done."}]


def digests(data: str) -> list[str]:
    transcript = parse_transcript(data.encode(), "x")
    return [digest_message(transcript, record) for record in transcript.records]


def test_a_message_has_the_same_digest_as_a_line_and_in_a_list() -> None:
    lines = "".join(f"{json.dumps(message)}\n" for message in CHAT)
    assert digests(json.dumps(CHAT)) == digests(lines)
    assert len(set(digests(lines))) == 2


def test_marks_are_grouped() -> None:
    assert group_marks({"a": "keep", "b": "removable"}) == MarkedMessages(frozenset("a"), frozenset("b"))


def test_short_texts_that_are_kept_are_repeated_by_a_summary() -> None:
    transcript = parse_transcript(json.dumps(CHAT).encode(), "x")
    marked = MarkedMessages(frozenset(digests(json.dumps(CHAT))))
    assert list(find_kept_texts(transcript, marked, 5)) == ["Done."]
    assert list(find_kept_texts(transcript, MarkedMessages(), 5)) == []
