"""The conversation of a turn: lines of one API, joined without parsing them again."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.formats import anthropic, gemini, openai, responses
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.errors import MalformedInputError, UsageError
from ctxkit.core.turn.conversation import check_history_format, detect_provider, join_transcripts, parse_lines

USER = {"role": "user", "content": "hi"}
BLOCKS = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}
PARTS = {"role": "user", "parts": [{"text": "hi"}]}
ITEM = {"type": "function_call_output", "call_id": "a", "output": "x"}


def encode(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def test_a_list_becomes_lines() -> None:
    transcript = parse_lines(json.dumps([USER, USER], indent=1).encode(), "stdin", openai)
    assert transcript.syntax == "lines"
    assert [json.loads(line) for line in transcript.text.splitlines()] == [USER, USER]


@pytest.mark.parametrize(
    ("format_", "value", "problem"),
    [
        (openai, {"role": "robot", "content": "x"}, "line 2: unknown role: robot"),
        (anthropic, {"role": "tool", "tool_call_id": "a", "content": "x"}, "line 2: unknown role: tool"),
        (anthropic, {"role": "system", "content": "x"}, "line 2: unknown role: system"),
    ],
)
def test_a_role_that_the_api_does_not_know_is_an_error(format_, value, problem: str) -> None:
    with pytest.raises(MalformedInputError, match=problem):
        parse_lines(encode(USER, value), "stdin", format_)


def test_items_need_no_role() -> None:
    assert len(parse_lines(encode(USER, ITEM), "stdin", responses).records) == 2


@given(st.lists(st.text(min_size=1), max_size=4), st.lists(st.text(min_size=1), max_size=4))
def test_joining_equals_parsing_the_whole(first: list[str], second: list[str]) -> None:
    messages = [encode(*({"role": "user", "content": text} for text in texts)) for texts in (first, second)]
    parsed = [parse_lines(data, "x", openai) if data else None for data in messages]
    joined = join_transcripts(*parsed)
    whole = parse_transcript(b"".join(messages), "x", openai) if any(messages) else None
    assert (joined is None) == (whole is None)
    if joined is not None and whole is not None and len(whole.records) > 1:
        assert joined.text == whole.text
        assert joined.records == whole.records


def test_a_history_of_another_api_is_an_error() -> None:
    with pytest.raises(UsageError, match="in the form of anthropic"):
        check_history_format(parse_lines(encode(BLOCKS), "x", openai), "s")
    check_history_format(parse_lines(encode(USER), "x", anthropic), "s")


def test_the_provider_is_that_of_the_first_content_that_tells() -> None:
    assert detect_provider(b"", encode(USER)) == "openai"
    assert detect_provider(b"", encode(USER, BLOCKS)) == "anthropic"
    assert detect_provider(encode(PARTS), encode(USER)) == "gemini"
    assert detect_provider(b"", encode(ITEM)) == "responses"
    assert detect_provider(b"not JSON") == "openai"
    assert gemini.NAME == "gemini"
