"""Anthropic Messages are taken apart and put together."""

import json

import pytest

from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import anthropic
from ctxkit.core.chat.model.message import RecordCall, RecordPassage, RecordResult, UsageReceipt
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches

CACHED = {"cache_control": {"type": "ephemeral"}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
CALLS = [{"type": "tool_use", "id": name, "name": "ls", "input": {"path": name}} for name in "ab"]
TOLD = [{"type": "tool_result", "tool_use_id": name, "content": f"result {name}", **CACHED} for name in "ab"]


def test_thinking_calls_and_results() -> None:
    said = anthropic.read_content({"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "I look."}, *CALLS]})
    assert (said.role, said.has_reasoning, said.encrypted) == ("assistant", True, False)
    assert said.passages == (RecordPassage("I look.", ("content", 1, "text")),)
    assert said.calls[1] == RecordCall("b", "ls", {"path": "b"}, ("content", 3, "input"), ("content", 3))
    told = anthropic.read_content({"role": "user", "content": [*TOLD, {"type": "text", "text": "go on"}]})
    assert told.role == "user"
    assert told.results[1] == RecordResult("b", "result b", ("content", 1, "content"), unit=("content", 1))
    assert told.passages == (RecordPassage("go on", ("content", 2, "text")),)


def test_what_the_provider_ran_itself_is_settled() -> None:
    blocks = [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "web_search_result", "url": "u"}]},
    ]
    found = anthropic.read_content({"role": "assistant", "content": blocks})
    assert [(call.id, call.needs_no_result) for call in found.calls] == [("s", True)]
    assert found.results == ()


@pytest.mark.parametrize(("block", "is_sealed", "thinks"), [
    ({"type": "redacted_thinking", "data": "x"}, False, True),
    ({"type": "compaction", "content": "so far", "encrypted_content": "x"}, True, False),
    ({"type": "compaction", "content": None}, True, False),
])
def test_what_only_the_provider_reads(block, is_sealed: bool, thinks: bool) -> None:
    found = anthropic.read_content({"role": "assistant", "content": [block, {"type": "text", "text": "a"}]})
    assert (found.encrypted, found.has_reasoning) == (is_sealed, thinks)
    assert [passage.place for passage in found.passages] == [("content", 1, "text")]


@pytest.mark.parametrize(("used", "receipt"), [
    ({"input_tokens": 1, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300, "output_tokens": 4}, (321, 4)),
    ({"input_tokens": 1, "cache_creation": {"ephemeral_5m_input_tokens": 2, "ephemeral_1h_input_tokens": 3}}, (6, 0)),
    ({"input_tokens": 0, "output_tokens": 0}, None),
    (None, None),
])
def test_receipts(used, receipt) -> None:
    found = anthropic.read_content({"role": "assistant", "content": "a", "usage": used}).receipt
    assert found == (UsageReceipt(*receipt) if receipt else None)


def test_changes_leave_the_rest_as_it_is() -> None:
    request = {
        "system": [{"type": "text", "text": "Be brief.", **CACHED}],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [THOUGHT, *CALLS]},
            {"role": "user", "content": TOLD},
        ],
    }
    transcript = parse_transcript(json.dumps(request, indent=2).encode(), "chat")
    call, result = transcript.records[1].calls[0], transcript.records[2].results[0]
    patches = {
        1: [ValuePatch(call.unit, action="remove")],
        2: [ValuePatch(transcript.records[2].results[1].place, anthropic.make_result_value(result, "cleared")), ValuePatch(result.unit, action="remove")],
    }
    inserted = {0: anthropic.make_summary("so far", "system", "0" * 32, None, None), 3: [anthropic.wrap_results([anthropic.make_result(call, "none")])]}
    changed = json.loads(apply_change(transcript, Change(frozenset({0}), patches, inserted)))
    assert changed["system"] == request["system"]
    assert changed["messages"] == [
        {"role": "user", "content": "so far"},
        {"role": "assistant", "content": [THOUGHT, CALLS[1]]},
        {"role": "user", "content": [{**TOLD[1], "content": "cleared"}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "none"}]},
    ]


def test_a_request_to_claude_is_anthropics_unless_it_has_what_only_openai_takes() -> None:
    said = {"role": "user", "content": "hi"}
    assert anthropic.is_format_of({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [said]})
    assert not anthropic.is_format_of({"model": "anthropic/claude-sonnet-4-5", "messages": [said]})
    assert not anthropic.is_format_of({"model": "claude-sonnet-4-5", "messages": [{"role": "system", "content": "x"}, said]})
    called = {"role": "assistant", "content": None, "tool_calls": []}
    assert not anthropic.is_format_of({"model": "claude-sonnet-4-5", "messages": [said, called]})


USES = [{"toolUse": {"toolUseId": name, "name": "ls", "input": {"path": name}}} for name in "ab"]
GIVES = [{"toolResult": {"toolUseId": name, "content": [{"text": f"result {name}"}], "status": "success"}} for name in "ab"]
CONVERSE = [
    {"role": "user", "content": [{"text": "list"}]},
    {"role": "assistant", "content": [{"reasoningContent": {"reasoningText": {"text": "hm"}}}, {"text": "I look."}, *USES]},
    {"role": "user", "content": GIVES},
    {"role": "assistant", "content": [{"text": "done"}]},
]


def test_blocks_of_bedrock_are_known_by_their_members() -> None:
    found = parse_transcript(json.dumps({"modelId": "m", "messages": CONVERSE}).encode(), "chat")
    said, told = found.records[1:3]
    assert (found.format, said.has_reasoning, find_breaches(found)) == (anthropic, True, ())
    assert said.calls[0] == RecordCall("a", "ls", {"path": "a"}, ("content", 2, "toolUse", "input"), ("content", 2))
    assert told.results[1] == RecordResult("b", "result b", ("content", 1, "toolResult", "content"), unit=("content", 1))
    assert [part.kind for part in said.messages[0].parts] == ["thinking", "text", "call", "call"]
    assert [(part.kind, part.text) for part in told.messages[0].parts] == [("result", "result a"), ("result", "result b")]


def test_what_is_written_for_bedrock_is_in_its_blocks() -> None:
    found = parse_transcript(json.dumps(CONVERSE[:3]).encode(), "chat")
    told = found.records[2].results[0]
    patch = ValuePatch(told.place, anthropic.make_result_value(told, "short"))
    again = parse_transcript(apply_change(found, Change(patches={2: [patch]})).encode(), "chat")
    assert again.records[2].results[0].text == "short"
    answer = anthropic.make_result(found.records[1].calls[0], "gone")
    assert anthropic.read_content(anthropic.wrap_results([answer])).results[0][:2] == ("a", "gone")
    assert anthropic.make_summary("x", "user", "k", None, CONVERSE[0])[0]["content"] == [{"text": "x"}]
