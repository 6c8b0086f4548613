"""Calls, results and words are found where they stand."""

import pytest

from ctxkit.core.chat.record import Call, Passage, Result
from ctxkit.core.chat.units import calls_in, given, passages_in, plain, results_in, said, sealed, thinks

PLACE = ("message", "content")


def test_calls():
    content = [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "1", "name": "ls", "input": {"a": 1}},
        {"type": "server_tool_use", "id": "2", "name": "web_search", "input": {"q": "x"}},
        {"type": "toolCall", "id": "3", "name": "cat", "arguments": {}},
        {"type": "tool-call", "toolCallId": "4", "toolName": "rm", "args": {"b": 2}},
        {"type": "tool_use", "id": "5", "name": "none"},
    ]
    assert list(calls_in(content, PLACE)) == [
        Call("1", "ls", {"a": 1}, (*PLACE, 1, "input"), (*PLACE, 1)),
        Call("2", "web_search", {"q": "x"}, (*PLACE, 2, "input"), (*PLACE, 2), settled=True),
        Call("3", "cat", {}, (*PLACE, 3, "arguments"), (*PLACE, 3)),
        Call("4", "rm", {"b": 2}, (*PLACE, 4, "args"), (*PLACE, 4)),
        Call("5", "none", "", (*PLACE, 5, "input"), (*PLACE, 5)),
    ]
    assert list(calls_in("words", PLACE)) == []


def test_results():
    image = {"type": "image", "source": {"type": "base64", "data": "AA=="}}
    content = [
        {"type": "tool_result", "tool_use_id": "1", "content": "ok"},
        {"type": "tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "a"}, image], "is_error": True},
        {"type": "tool_result", "tool_use_id": "3"},
        {"type": "tool-result", "toolCallId": "4", "toolName": "ls", "output": {"type": "text", "value": "b"}},
        {"type": "web_search_tool_result", "tool_use_id": "5", "content": []},
    ]
    assert list(results_in(content, PLACE)) == [
        Result("1", "ok", (*PLACE, 0, "content"), unit=(*PLACE, 0)),
        Result("2", "a", (*PLACE, 1, "content"), failed=True, plain=False, unit=(*PLACE, 1)),
        Result("3", "", (*PLACE, 2, "content"), unit=(*PLACE, 2)),
        Result("4", "b", (*PLACE, 3, "output"), "ls", unit=(*PLACE, 3)),
    ]


def test_passages():
    blocks = [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": "b"}, "c", {"text": "d"}, {"type": "text"}]
    assert list(passages_in(blocks, PLACE)) == [Passage("a", (*PLACE, 0, "text")), Passage("d", (*PLACE, 3, "text"))]
    assert list(passages_in("a", PLACE)) == [Passage("a", PLACE)]
    assert list(passages_in(None, PLACE)) == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        *(({"a": 1}, {"a": 1}), (' {"a": 1}\n', {"a": 1}), ('{"a": 1', '{"a": 1'), ("", ""), ("[1]", "[1]"), (None, "")),
        *(('{"a": 1} x', '{"a": 1} x'), ([1], "[1]"), ("[" * 100_000, "[" * 100_000)),
    ],
)
def test_arguments_are_a_mapping_where_they_are_json(written, meant):
    assert given(written) == meant


def test_what_is_said_and_whether_it_is_all():
    assert said([{"type": "text", "text": "a"}, {"type": "input_text", "text": "b"}]) == "a\nb"
    assert said({"type": "text", "text": "a"}) == "a"
    assert [plain(one) for one in (None, "a", [], ["a"], [{"type": "text", "text": "a"}])] == [True] * 5
    assert [plain(one) for one in ({}, [{"type": "image"}], 7)] == [False] * 3


def test_reasoning_and_what_is_sealed():
    thought, words = {"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": "a"}
    assert thinks([thought, words])
    assert thinks([{"type": "redacted_thinking", "data": "x"}])
    assert not thinks([words, thought])
    assert not thinks("a")
    assert sealed([words, {"type": "compaction", "content": "x"}])
    assert not sealed([thought, words])
