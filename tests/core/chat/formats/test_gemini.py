"""Gemini: calls without ids, results in the next content, and sessions that keep a result in its call."""

import json

import pytest

from ctxkit.core.chat.branches.active_path import Change, apply_change
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.formats import gemini
from ctxkit.core.chat.model.message import RecordCall
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.pairing import pair_calls


def call(name, **more):
    return {"functionCall": {"name": name, "args": {"a": 1}}, **more}


def result(name, response, **more):
    return {"functionResponse": {"name": name, "response": response, **more}}


CONTENTS = [
    {"role": "user", "parts": [{"text": "Look."}]},
    {"role": "model", "parts": [{"text": "hm", "thought": True}, call("ls", thoughtSignature="s"), call("ls"), call("cat")]},
    {"role": "user", "parts": [result("ls", {"output": "a"}), result("ls", {"error": "no"}), result("cat", {"b": 1, "c": 2})]},
    {"role": "model", "parts": [{"text": "Done.", "thoughtSignature": "s"}, {"text": "Bye."}]},
]


def read(value):
    return parse_transcript(json.dumps(value, indent=2).encode(), "it")


DONE = {"id": "1", "name": "ls", "args": {}, "status": "error", "resultDisplay": "a", "result": [result("ls", {"output": "a b"})]}
SESSION = {
    "sessionId": "s",
    "projectHash": "p",
    "messages": [
        {"id": "m1", "timestamp": "t", "type": "user", "content": [{"text": "Look."}]},
        {
            "id": "m2", "timestamp": "t", "type": "gemini", "content": "So.", "toolCalls": [DONE],
            "tokens": {"input": 100, "output": 10, "thoughts": 5, "cached": 50, "total": 115},
        },
        {"id": "m3", "timestamp": "t", "type": "info", "content": "Cancelled."},
    ],
}


@pytest.mark.parametrize("value", [CONTENTS, {"contents": CONTENTS, "systemInstruction": {"parts": [{"text": "Be brief."}]}}])
def test_contents_are_the_entries_of_a_request(value) -> None:
    found = read(value)
    assert found.format is gemini
    assert [record.role for record in found.records] == ["user", "assistant", "user", "assistant"]
    assert [entry.parts[0].text for entry in found.head[1:]] == (["Be brief."] if isinstance(value, dict) else [])


def test_results_belong_to_the_calls_of_their_name_in_order() -> None:
    found = pair_calls(read(CONTENTS).records, gemini.RULES)
    assert [(asked.call.name, told.result.text) for asked, told in found.paired] == [
        ("ls", "a"),
        ("ls", "no"),
        ("cat", '{"b":1,"c":2}'),
    ]


def test_a_result_is_its_only_words_or_all_of_it() -> None:
    results = gemini.read_content(CONTENTS[2]).results
    assert [one.place[-1] for one in results] == ["output", "error", "response"]
    assert [one.failed for one in results] == [False, True, False]
    assert [gemini.make_result_value(one, "x") for one in results] == ["x", "x", {"output": "x"}]
    assert not gemini.read_content({"parts": [result("ls", {"output": "a"}, parts=[{"inlineData": {}}])]}).results[0].plain


def test_what_a_signature_vouches_for_may_not_be_shortened() -> None:
    assert [one.text for one in gemini.read_content(CONTENTS[3]).passages] == ["Bye."]
    assert gemini.read_content(CONTENTS[1]).has_reasoning
    assert not gemini.read_content(CONTENTS[0]).has_reasoning


def test_cleared_results_are_read_as_such() -> None:
    found = read(CONTENTS)
    patches = [ValuePatch(one.place, gemini.make_result_value(one, "[cleared]")) for one in found.records[2].results]
    again = parse_transcript(apply_change(found, Change(patches={2: patches})).encode(), "it")
    assert [one.text for one in again.records[2].results] == ["[cleared]"] * 3


def test_answers_are_carried_by_a_content_of_the_user() -> None:
    made = gemini.wrap_results([gemini.make_result(RecordCall("", "ls"), "none"), gemini.make_result(RecordCall("7", "cat"), "none")])
    assert [(one.id, one.name, one.text) for one in gemini.read_content(made).results] == [("", "ls", "none"), ("7", "cat", "none")]


def test_a_summary_is_what_its_neighbours_are() -> None:
    [content] = gemini.make_summary("So far.", "system", "0" * 32, None, CONTENTS[0])
    assert content == {"role": "user", "parts": [{"text": "So far."}]}
    found = read(SESSION)
    new = gemini.make_summary("So far.", "user", "0" * 32, None, SESSION["messages"][0])
    again = parse_transcript(apply_change(found, Change(inserted={0: new})).encode(), "it")
    assert (again.records[0].words, again.records[0].is_user_request) == ("So far.", True)
