"""LangChain: a message by its type, whether flat, under data or as the arguments of a constructor."""

import json

import pytest

from ctxkit.core.chat.branches.rewrite import Change, apply_change
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.formats import langchain
from ctxkit.core.chat.model.record import RecordCall, UsageReceipt
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
