"""LangChain: a message by its type, whether flat, under data or as the arguments of a constructor."""

import json

import pytest

from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import langchain
from ctxkit.core.chat.model.message import RecordCall, UsageReceipt
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches

BODIES = [
    ("System", {"content": "Be brief."}),
    ("Human", {"content": "Look."}),
    ("AI", {"content": "", "tool_calls": [{"name": "ls", "args": {"path": "."}, "id": "c", "type": "tool_call"}], "usage_metadata": {"input_tokens": 9, "output_tokens": 2}}),
    ("Tool", {"content": "a.txt", "tool_call_id": "c", "name": "ls", "status": "error"}),
    ("AI", {"content": [{"type": "text", "text": "One file."}], "tool_calls": []}),
]  # fmt: skip
WAYS = {
    "flat": [{**body, "type": kind.lower(), "id": "run"} for kind, body in BODIES],
    "data": [{"type": kind.lower(), "data": body} for kind, body in BODIES],
    "kwargs": [
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", f"{kind}Message"], "kwargs": body}
        for kind, body in BODIES
    ],
}


def read(value):
    return parse_transcript(json.dumps(value).encode(), "it")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrapped", [False, True])
def test_messages_are_read_whatever_they_stand_in(way: str, wrapped: bool) -> None:
    found = read({"messages": WAYS[way]} if wrapped else WAYS[way])
    assert (found.format, find_breaches(found)) == (langchain, ())
    assert [record.role for record in found.records] == ["system", "user", "assistant", "tool", "assistant"]
    place = () if way == "flat" else (way,)
    said, told = found.records[2:4]
    assert said.calls == (RecordCall("c", "ls", {"path": "."}, (*place, "tool_calls", 0, "args"), (*place, "tool_calls", 0)),)
    assert (told.results[0].id, told.results[0].place, told.results[0].failed) == ("c", (*place, "content"), True)
    assert said.receipt == UsageReceipt(9, 2)
    assert found.records[4].passages[0].place == (*place, "content", 0, "text")


@pytest.mark.parametrize("way", WAYS)
def test_what_is_written_stands_as_the_others_do(way: str) -> None:
    found = read(WAYS[way])
    answer = langchain.make_result(found.records[2].calls[0], "none")
    summary = langchain.make_summary("So far.", "system", "k", None, WAYS[way][1])[0]
    again = read([WAYS[way][2], answer, summary])
    assert [record.role for record in again.records] == ["assistant", "tool", "system"]
    assert [record.results[0].text for record in again.records[1:2]] == ["none"]
    assert again.records[2].words == "So far."
    assert langchain._find_body_key(answer) == langchain._find_body_key(summary) == ("" if way == "flat" else way)


def test_a_result_is_patched_where_it_stands() -> None:
    found = read(WAYS["kwargs"])
    [result] = found.records[3].results
    text = apply_change(found, Change(patches={3: [ValuePatch(result.place, langchain.make_result_value(result, "gone"))]}))
    assert text == found.text.replace('"a.txt"', '"gone"')


TWICE = {
    "content": [
        {"type": "text", "text": "I write."},
        {"type": "tool_use", "id": "w", "name": "write", "input": {"path": "a.txt", "text": "long " * 200}},
        {"type": "tool_use", "id": "p", "name": "ls", "input": {}, "partial_json": '{"path": "."}'},
    ],
    "tool_calls": [
        {"name": "write", "args": {"path": "a.txt", "text": "long " * 200}, "id": "w", "type": "tool_call"},
        {"name": "ls", "args": {"path": "."}, "id": "p", "type": "tool_call"},
    ],
}


@pytest.mark.parametrize("outer", ["", "data", "kwargs"])
def test_a_call_in_the_content_and_beside_it_is_one_call(outer: str) -> None:
    message = langchain._make_message(outer, "ai", TWICE)
    content = langchain.read_content(message)
    place = (outer,) if outer else ()
    assert [(call.id, call.unit) for call in content.calls] == [("w", (*place, "tool_calls", 0)), ("p", (*place, "tool_calls", 1))]
    assert [call.copies for call in content.calls] == [((*place, "content", 1, "input"),), ()]
    [spoken] = langchain.read_entries(message)
    assert [part.kind for part in spoken.parts] == ["text", "call", "call"]
    assert spoken.calls == ("w", "p")


def test_a_call_in_the_content_alone_is_a_call() -> None:
    alone = {"type": "tool_call", "id": "v", "name": "cat", "args": {"path": "b"}}
    content = langchain.read_content(langchain._make_message("", "ai", {"content": [alone], "tool_calls": TWICE["tool_calls"]}))
    assert [(call.id, call.arguments) for call in content.calls] == [("w", TWICE["tool_calls"][0]["args"]), ("p", {"path": "."}), ("v", {"path": "b"})]
