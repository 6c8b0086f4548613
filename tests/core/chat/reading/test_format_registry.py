"""Each format knows its own, and nothing else."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.reading.format_names import FORMAT_NAMES
from ctxkit.core.chat.reading.format_registry import (
    FORMATS,
    TEXT_PREFIXES,
    find_format,
    find_unread_format,
    find_unread_text,
    get_format,
)
from ctxkit.core.chat.reading.open_content import open_content
from ctxkit.core.chat.reading.transcript import parse_transcript, read_document
from ctxkit.core.chat.reading.unread_format_table import UNREAD_FORMATS
from ctxkit.core.count.content import _STARTS
from ctxkit.core.errors import MalformedInputError
from tests.core.chat.unread_samples import SAMPLES, Sample, find_row

TURN = {"role": "user", "content": "hi"}
LINE = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": TURN}
OWN = [
    ("openai", TURN),
    ("openai", [TURN, {"role": "assistant", "content": None, "tool_calls": []}]),
    ("openai", {"model": "gpt-4o", "messages": [TURN], "tools": []}),
    ("openai", {"messages": [TURN, {"role": "session_meta"}]}),
    ("anthropic", {"system": "Be brief.", "messages": [TURN]}),
    ("anthropic", {"messages": [TURN], "tools": [{"name": "ls", "input_schema": {}}]}),
    ("anthropic", [TURN, {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "ls", "input": {}}]}]),
    ("responses", {"model": "gpt-5", "input": "hi"}),
    ("responses", [TURN, {"type": "function_call", "call_id": "1", "name": "ls", "arguments": "{}"}]),
    ("responses", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}),
    ("claude-code", {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": TURN}),
    ("claude-code", {"type": "user", "session_id": "s", "message": TURN}),
    ("claude-code", {"loglines": [{"type": "user", "timestamp": "now", "message": TURN}]}),
    ("codex", {"timestamp": "now", "type": "session_meta", "payload": {"instructions": "Be brief."}}),
    ("pi", {"type": "session", "version": 3, "id": "1", "timestamp": "now", "cwd": "/"}),
    ("pi", {"type": "message", "id": "1", "parentId": None, "message": TURN}),
    ("gemini", {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}),
    ("gemini", [{"role": "model", "parts": [{"text": "hi"}]}]),
    ("gemini", {"sessionId": "1", "messages": [{"type": "user", "content": "hi"}, {"type": "info", "content": "x"}]}),
    ("sharegpt", {"conversations": [{"from": "human", "value": "hi"}]}),
    ("sharegpt", [{"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hi"}]}]),
    ("swe-agent", {"trajectory": [], "history": [{"role": "Orchestrator (thought)", "content": "hi"}]}),
    ("openhands", [{"id": 0, "source": "user", "action": "message", "args": {"content": "hi"}}]),
    ("openhands", {"history": [{"id": 0, "source": "agent", "observation": "run", "content": "hi"}]}),
    ("sharegpt", {"from": "human", "value": "hi"}),
    ("anthropic", {"messages": [{"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "ls", "input": {}}}]}]}),
    ("opencode", {"info": {"id": "ses"}, "messages": [{"info": {"role": "user"}, "parts": []}]}),
    ("opencode", [{"info": {"id": "msg", "role": "assistant"}, "parts": [{"type": "text", "text": "hi"}]}]),
    ("atif", {"schema_version": "ATIF-v1.6", "agent": {"name": "a"}, "steps": [{"step_id": 1, "source": "user", "message": "hi"}]}),
    ("atif", {"step_id": 2, "source": "agent", "message": "hi"}),
    ("qwen-code", {"uuid": "1", "parentUuid": None, "type": "user", "message": {"role": "user", "parts": [{"text": "hi"}]}}),
    ("langchain", [{"type": "human", "content": "hi"}, {"type": "ai", "content": ""}]),
    ("langchain", {"messages": [{"type": "tool", "data": {"content": "hi", "tool_call_id": "1"}}]}),
    ("langchain", {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessageChunk"], "kwargs": {"content": "hi"}}),
    ("claude-code", [{"type": "summary"}, {"type": "user", "uuid": "1", "sessionId": "s", "message": TURN}]),
    ("codex", [{"type": "session_meta", "payload": {}}, {"type": "response_item", "payload": {"type": "message"} | TURN}]),
    ("pi", [{"type": "message", "id": "1", "parentId": None, "message": TURN}, {"type": "custom_message", "id": "2"}]),
    ("nanobot", [{"_type": "metadata", "key": "cli:s"}, TURN]),
    ("cursor", [{"role": "user", "message": {"content": [{"type": "text", "text": "hi"}]}}]),
    ("gemini", [{"sessionId": "1", "projectHash": "2"}, {"id": "3", "type": "user", "content": "hi"}]),
    ("responses", [{"id": "1", "timestamp": "now", "instructions": "Be brief."}, {"type": "message", "id": None} | TURN]),
    ("openai", [{"role": "user", "meta": {}, "content": [{"text": "hi"}]}, {"role": "tool", "meta": {}, "content": [{"tool_call_result": {}}]}]),
    ("anthropic", {"v": 4, "id": "T-1", "messages": [{"role": "user", "messageId": 0, "content": [{"type": "tool_result", "toolUseID": "c", "run": {}}]}]}),
    ("openai", {"role": "user", "content": "hi"}),
    ("chatml", "<|im_start|>user\nhi<|im_end|>\n"),
]
OTHERS = [
    None,
    7,
    "text",
    [],
    {},
    {"role": "admin", "content": "x"},
    [{"role": "user", "name": "Bob"}],
    {"messages": ["disk full", "disk fuller"]},
    {"messages": []},
    {"type": "object", "properties": {"role": {"type": "string"}}},
    {"level": "info", "type": "message", "message": "started"},
    {"history": ["a", "b"]},
    {"source": "agent", "message": "started"},
    {"schema_version": "1.0", "steps": []},
    {"input": ["a.c", "b.c"], "model": "x"},
    {"contents": "a book", "parts": ["a", "b"]},
    {"type": "session", "id": 1},
    {"type": "tool", "name": "hammer"},
    {"info": {"role": "user"}, "messages": ["a"]},
    {"uuid": "1", "parentUuid": None, "type": "system", "subtype": "ui_telemetry"},
    [{"type": "human", "content": "hi"}, {"type": "martian", "content": "hi"}],
    {"name": "left-pad", "version": "1.0.0", "type": "module"},
    [{"from": "a@example.org", "value": "x"}],
    [{"loglines": [LINE]}, {"loglines": [LINE]}],
    [{"schema_version": "ATIF-v1.6", "steps": []}],
    [{"sessionId": "1", "messages": [{"type": "user", "content": "hi"}]}, {"sessionId": "2", "projectHash": "3"}],
    [[LINE], [LINE]],
    [LINE, {"type": "init", "session_id": "1", "model": "m", "timestamp": "now"}],
    ["a", None, 7, [], {}],
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["role", "content", "messages", "type", "parts", "input", "history", "source", "message", "tools"])
        | st.text(max_size=3),
        inner,
        max_size=5,
    ),
    max_leaves=20,
)


@pytest.mark.parametrize(("name", "value"), OWN)
def test_a_conversation_is_taken_for_what_it_is(name: str, value) -> None:
    found = find_format([value])
    assert found is not None
    assert name == found.NAME
    assert list(read_document(found, value))


@pytest.mark.parametrize("value", OTHERS)
def test_other_json_is_no_conversation(value) -> None:
    assert find_format([value]) is None


@pytest.mark.parametrize(("before", "name"), [(500, "claude-code"), (30_000, "")])
def test_a_list_may_begin_with_many_entries_that_are_no_messages(before: int, name: str) -> None:
    found = find_format([[{"type": "queue-operation"}] * before + [LINE]])
    assert (found.NAME if found else "") == name


def test_formats_are_found_by_name() -> None:
    assert tuple(one.NAME for one in FORMATS) == FORMAT_NAMES
    assert [get_format(name).NAME for name in FORMAT_NAMES] == list(FORMAT_NAMES)
    with pytest.raises(KeyError):
        get_format("nonsense")


@given(JSON)
def test_any_json_is_read_or_refused(value) -> None:
    for one in FORMATS:
        one.is_format_of(value)
        with suppress(ValueError):
            list(one.read_entries(value))


JSON_SAMPLES = st.sampled_from([sample for sample in SAMPLES if sample.values])


def _is_named(data: bytes, sample: Sample) -> bool:
    """Return whether the error of an editor and the doubt of a count name the format of a sample."""
    with pytest.raises(MalformedInputError, match="which ctxkit does not read") as caught:
        parse_transcript(data, "chat")
    content = open_content(iter([data]), json.loads, "chat")
    assert content.format is None
    name = find_row(sample).name
    assert content.doubt == f"it is {name}, which ctxkit does not read: counted as text"
    assert b"".join(content.chunks) == data
    return str(caught.value) == f"chat: it is {name}, which ctxkit does not read"


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_sample_is_named_and_counted_as_text(sample: Sample) -> None:
    assert all(_is_named(start.encode() + sample.content, sample) for start in ("", "\ufeff", "\n \n"))


@given(JSON_SAMPLES, st.integers(0, 9), st.integers(1, 9))
def test_a_part_of_a_sample_has_no_other_name(sample: Sample, start: int, count: int) -> None:
    assert find_unread_format(sample.values[start : start + count]) in (None, find_row(sample))


@pytest.mark.parametrize("sample", [sample for sample in SAMPLES if len(sample.values) > 1], ids=lambda sample: sample.name)
def test_a_list_of_lines_is_named_as_the_lines_are(sample: Sample) -> None:
    assert all(_is_named(json.dumps(sample.values, indent=indent).encode(), sample) for indent in (None, 2))


@given(JSON_SAMPLES, st.dictionaries(st.text(max_size=5).map("x_{}".format), st.integers(), max_size=3))
def test_other_members_do_not_count(sample: Sample, members: dict[str, int]) -> None:
    values = tuple(members | value if isinstance(value, dict) else value for value in sample.values)
    assert find_unread_format(values) is find_row(sample)


def test_each_row_has_a_sample_and_each_sample_its_row_alone() -> None:
    assert {find_row(sample).name for sample in SAMPLES} == {row.name for row in UNREAD_FORMATS}
    for sample in SAMPLES:
        found = find_unread_text(sample.text) if sample.text else find_unread_format(sample.values)
        assert found is find_row(sample)
        assert sample.text or find_format(sample.values) is None


@pytest.mark.parametrize(("name", "value"), OWN)
def test_what_is_read_is_not_named(name: str, value) -> None:
    assert find_unread_format([value]) is None
    assert not isinstance(value, str) or find_unread_text(value) is None


@given(JSON_SAMPLES, st.sampled_from(OWN))
def test_lines_of_a_format_that_is_read_do_not_hide_an_unread_one(sample: Sample, own: tuple[str, object]) -> None:
    assert find_format([own[1], *sample.values]) is None
    assert find_format([*sample.values, own[1]]) is None


def test_a_stream_is_not_read_by_its_later_messages() -> None:
    stream = next(sample for sample in SAMPLES if sample.name == "stream of Gemini CLI").values
    lines = [stream[0], *[{"type": "result"}] * 70, stream[1]]
    with pytest.raises(MalformedInputError, match="stream-json"):
        parse_transcript("".join(json.dumps(value) + "\n" for value in lines).encode(), "chat")


def test_a_message_with_the_answer_of_a_provider_is_read() -> None:
    answer = {"id": "msg_1", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "hi"}]}
    assert find_format([{"role": "assistant", "content": "hi", "raw": answer}]) is not None


@pytest.mark.parametrize(
    "value",
    [None, 7, [], [{"uuid": "c"}], ["x"], {"kind": 0, "v": {}}, {"simulations": [1], "tasks": []}, {"request": {"body": 1}}, {}, {"type": "init"}, {"history": "x"}, {"history": ["x"]}, {"history": [{"contextItems": []}]}, {"requests": [1]}, {"mapping": {"a": 1}, "title": "x"}, {"type": "message", "role": "user", "text": "x"}, {"object": "list", "data": [{"id": "gpt-5", "object": "model"}], "has_more": False}, {"traceId": "t", "type": "EVENT", "message": "x"}],
)
def test_other_values_have_no_name(value) -> None:
    assert find_unread_format([value]) is None


def test_the_count_looks_at_the_beginnings_of_all_texts_in_the_table() -> None:
    assert {prefix.encode() for prefix, _ in TEXT_PREFIXES} < set(_STARTS)
