"""The request: valid, counted as it is printed, and with the same bytes before what changes."""

import json

import pytest

from ctxkit.core.chat.formats import anthropic, gemini, openai, responses
from ctxkit.core.chat.reading.transcript import Transcript, parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.count.amount import CountOptions
from ctxkit.core.count.conversation import count_transcript, make_cached_counter
from ctxkit.core.prompt import PromptSection, build_prompt
from ctxkit.core.tokens.vocabulary import find_vocabulary
from ctxkit.core.turn.request import (
    LIST_MEMBERS,
    RequestParts,
    SystemPrompt,
    attach_tail,
    make_request,
    make_tail_message,
    mark_breakpoint,
)

OPTIONS = CountOptions(find_vocabulary("bytes/3"), lambda text: -(-len(text.encode()) // 3), json.loads)
TALKS = {
    "openai": (
        openai,
        '{"role": "user",  "content": "fix 1.10"}',
        '{"role": "assistant", "content": "done"}',
        '{"role": "user", "content": "thanks"}',
    ),
    "anthropic": (
        anthropic,
        '{"role": "user",  "content": "fix 1.10"}',
        '{"role": "assistant", "content": [{"type": "text", "text": "done"}]}',
        '{"role": "user", "content": "thanks"}',
    ),
    "gemini": (
        gemini,
        '{"role": "user",  "parts": [{"text": "fix 1.10"}]}',
        '{"role": "model", "parts": [{"text": "done"}]}',
        '{"role": "user", "parts": [{"text": "thanks"}]}',
    ),
    "responses": (
        responses,
        '{"type": "message", "role": "user",  "content": "fix 1.10"}',
        '{"type": "message", "role": "assistant", "content": "done"}',
        '{"type": "message", "role": "user", "content": "thanks"}',
    ),
}
TOOLS = '[{"name":"read","description":"Read.","input_schema":{"type":"object","properties":{}}}]'


def make_talk(name: str) -> tuple[RequestParts, Transcript]:
    format_, *lines = TALKS[name]
    prompt = build_prompt([PromptSection("base", "Be careful."), PromptSection("rules", "Use tabs.")])
    parts = RequestParts(format_, SystemPrompt(prompt.static_text, prompt, prompt.breakpoints), TOOLS)
    return parts, parse_transcript("\n".join(lines).encode(), "x", format_)


@pytest.mark.parametrize("name", TALKS)
@pytest.mark.parametrize("tail", ["", "a note"])
def test_a_request_is_valid_and_counted_as_printed(name: str, tail: str) -> None:
    parts, transcript = make_talk(name)
    request = make_request(parts._replace(tail=tail, model="m", max_tokens=9, marks_cache=True), transcript)
    data = request.encode()
    assert data.count(b"\n") == 1
    printed = parse_transcript(data, "request", parts.format)
    assert not find_breaches(printed)
    counted = request.count_tokens(OPTIONS, make_cached_counter(parts.format, OPTIONS)).amount
    assert counted == count_transcript(printed, OPTIONS)[0]


@pytest.mark.parametrize("name", TALKS)
def test_messages_keep_their_bytes_and_only_the_end_changes(name: str) -> None:
    parts, transcript = make_talk(name)
    requests = [make_request(parts._replace(tail=tail), transcript).encode() for tail in ("note 1", "another note")]
    start = TALKS[name][1] + "," + TALKS[name][2]
    prefixes = {request.partition(start.encode())[0] for request in requests}
    assert len(prefixes) == 1
    assert all(start.encode() in request for request in requests)
    assert all(request.count(b"note") == 1 for request in requests)


def test_anthropic_has_breakpoints_after_sections_and_at_the_end_of_the_conversation() -> None:
    """Seed 001: "Build CompletionRequest with breakpoints"."""
    parts, transcript = make_talk("anthropic")
    value = json.loads(make_request(parts._replace(tail="note", marks_cache=True, max_tokens=99), transcript).encode())
    assert [("cache_control" in block) for block in value["system"]] == [True, True]
    assert [("cache_control" in block) for block in value["messages"][-1]["content"]] == [True, False]
    assert value["max_tokens"] == 99


def test_a_summary_at_the_front_joins_the_system_prompt() -> None:
    lines = b'{"role": "system", "content": "# Context"}\n{"role": "user", "content": "hi"}'
    transcript = parse_transcript(lines, "x", openai)
    parts = RequestParts(openai, SystemPrompt("Be careful.\n"))
    messages = json.loads(make_request(parts, transcript).encode())["messages"]
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"] == "Be careful.\n\n# Context"
    alone = json.loads(make_request(RequestParts(openai), transcript).encode())["messages"]
    assert alone[0] == {"role": "system", "content": "# Context"}


def test_without_messages_there_is_the_prompt_alone() -> None:
    parts = RequestParts(openai, SystemPrompt("Be careful."), tail="note")
    roles = [message["role"] for message in json.loads(make_request(parts, None).encode())["messages"]]
    assert roles == ["system", "user"]
    assert set(LIST_MEMBERS) == set(TALKS)


BLOCK = {"type": "text", "text": "note"}


def test_the_tail_joins_the_last_message_of_the_user() -> None:
    assert attach_tail("openai", {"role": "user", "content": "hi"}, "note") == [(("content",), "hi\n\nnote", "replace")]
    assert attach_tail("openai", {"role": "user", "content": [BLOCK]}, "note") == [(("content", 1), BLOCK, "insert")]
    patch = attach_tail("anthropic", {"role": "user", "content": "hi"}, "note")
    assert patch == [(("content",), [{"type": "text", "text": "hi"}, BLOCK], "replace")]
    patch = attach_tail("gemini", {"role": "user", "parts": [{"text": "hi"}]}, "note")
    assert patch == [(("parts", 1), {"text": "note"}, "insert")]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("openai", {"role": "tool", "tool_call_id": "a", "content": "x"}),
        ("openai", {"role": "assistant", "content": "x"}),
        ("responses", {"role": "user", "content": "x"}),
        ("gemini", {"role": "user", "parts": [{"functionResponse": {"name": "a", "response": {}}}]}),
    ],
)
def test_elsewhere_it_is_a_message_of_its_own(name: str, message) -> None:
    assert attach_tail(name, message, "note") is None


def test_the_message_has_the_form_of_the_api() -> None:
    assert make_tail_message("openai", "note") == {"role": "user", "content": "note"}
    assert make_tail_message("anthropic", "note") == {"role": "user", "content": [BLOCK]}
    assert make_tail_message("gemini", "note") == {"role": "user", "parts": [{"text": "note"}]}


def test_a_breakpoint_is_on_the_last_block_that_may_have_one() -> None:
    cached = {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}
    assert mark_breakpoint({"role": "user", "content": "hi"}) == [(("content",), [cached], "replace")]
    place = ("content", 1, "cache_control")
    assert mark_breakpoint({"content": [BLOCK, BLOCK]}) == [(place, {"type": "ephemeral"}, "replace")]
    for content in ("", [], [{"type": "thinking", "thinking": "x"}], [{"type": "text", "text": ""}]):
        assert mark_breakpoint({"content": content}) == []


def test_mark_and_tail_stand_together() -> None:
    message = {"role": "user", "content": "hi"}
    patches = attach_tail("anthropic", message, "note", mark_breakpoint(message))
    assert patches is not None
    assert [block.get("cache_control") for block in patches[0].value] == [{"type": "ephemeral"}, None]
