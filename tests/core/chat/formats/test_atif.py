"""ATIF: a step of the agent has its calls and their results; converters write results as steps of their own."""

import json

import pytest

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import atif
from ctxkit.core.chat.model.message import RecordCall, RecordResult, UsageReceipt
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches

LIST = {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls"}}
RESULTS = {"results": [{"source_call_id": "c1", "content": "a.txt"}]}
STEPS = [
    {"step_id": 1, "source": "system", "message": "Be brief."},
    {"step_id": 2, "source": "user", "message": [{"type": "text", "text": "Look."}]},
    {"step_id": 3, "source": "agent", "message": "I look.", "reasoning_content": "hm", "tool_calls": [LIST], "observation": RESULTS},
    {"step_id": 4, "source": "agent", "message": "One file.", "metrics": {"prompt_tokens": 120, "cached_tokens": 100, "completion_tokens": 3}},
]


def read(steps):
    document = {"schema_version": "ATIF-v1.6", "session_id": "s", "agent": {"name": "a", "version": "1"}, "steps": steps}
    return parse_transcript(json.dumps(document, indent=1).encode(), "it")


def test_the_steps_of_a_trajectory_are_its_messages() -> None:
    transcript = read(STEPS)
    assert (transcript.format, transcript.syntax, find_active_path(transcript)) == (atif, "document", (0, 1, 2, 3))
    assert find_breaches(transcript) == ()
    assert [record.role for record in transcript.records] == ["system", "user", "assistant", "assistant"]
    parts = [(part.kind, part.text) for record in transcript.records for message in record.messages for part in message.parts]
    assert parts == [
        ("text", "Be brief."), ("text", "Look."), ("thinking", "hm"), ("text", "I look."), ("call", '{"command":"ls"}'),
        ("result", "a.txt"), ("text", "One file."),
    ]  # fmt: skip


def test_a_step_has_its_calls_and_their_results() -> None:
    content = atif.read_content(STEPS[2])
    assert content.calls == (RecordCall("c1", "bash", {"command": "ls"}, ("tool_calls", 0, "arguments"), ("tool_calls", 0), True),)
    assert content.results == (RecordResult("c1", "a.txt", ("observation", "results", 0, "content"), unit=("observation", "results", 0)),)
    assert [passage.place for passage in content.passages] == [("message",)]
    assert atif.read_content(STEPS[3]).receipt == UsageReceipt(120, 3)
    assert atif.read_content({**STEPS[3], "metrics": {"prompt_tokens": 20, "cached_tokens": 100}}).receipt == UsageReceipt(120, 0)


@pytest.mark.parametrize(
    ("results", "ids"),
    [
        ([{"content": "x"}, {"content": "y"}], ["c1", "c2"]),
        ([{"content": "x"}], ["c2"]),
        ([{"content": "x"}, {"content": "y"}, {"content": "z"}], ["", "", ""]),
        ([{"content": "x", "source_call_id": "c2"}, {"content": "y", "source_call_id": "c1"}], ["c2", "c1"]),
    ],
)
def test_results_that_name_no_call_answer_the_calls_in_order(results, ids) -> None:
    step = {**STEPS[2], "tool_calls": [LIST, {**LIST, "tool_call_id": "c2"}], "observation": {"results": results}}
    assert [result.id for result in atif.read_content(step).results] == ids


def test_a_call_without_a_result_is_missing_one_unless_results_name_no_calls() -> None:
    other = {**LIST, "tool_call_id": "c2"}
    step = {**STEPS[2], "tool_calls": [LIST, other]}
    assert [call.needs_no_result for call in atif.read_content(step).calls] == [True, False]
    terminal = {**step, "observation": {"results": [{"content": "$ ls"}]}}
    assert [call.needs_no_result for call in atif.read_content(terminal).calls] == [True, True]


def test_a_step_that_repeats_results_is_no_message_of_the_agent() -> None:
    call = {"step_id": 2, "source": "agent", "message": "", "tool_calls": [LIST]}
    results = {"step_id": 3, "source": "agent", "message": "a.txt", "observation": {"results": [{"content": "a.txt"}]}, "extra": {"tool_call_id": "c1", "exec_exit_code": 2}}
    transcript = read([STEPS[1], call, results, STEPS[3]])
    assert [record.role for record in transcript.records] == ["user", "assistant", "tool", "assistant"]
    assert find_breaches(transcript) == ()
    [result] = transcript.records[2].results
    assert (result.id, result.failed, result.copies) == ("c1", True, (("message",),))
    assert transcript.records[2].words == ""
    said = {**results, "message": "I found a file."}
    assert atif.read_content(said).role == "assistant"


@pytest.mark.parametrize(("extra", "failed"), [({"exit_code": 1}, True), ({"exit_code": 0}, False), ({"is_error": True}, True), ({}, False)])
def test_the_status_of_a_result_says_whether_it_failed(extra, failed: bool) -> None:
    step = {**STEPS[2], "observation": {"results": [{"source_call_id": "c1", "content": "x", "extra": extra}]}}
    assert [result.failed for result in atif.read_content(step).results] == [failed]


def test_a_result_is_patched_where_it_stands_and_all_else_stays() -> None:
    transcript = read(STEPS)
    [result] = transcript.records[2].results
    change = Change(patches={2: [ValuePatch(result.place, atif.make_result_value(result, "gone"))]})
    assert apply_change(transcript, change) == transcript.text.replace('"a.txt"', '"gone"')


def test_a_summary_and_an_answer_are_steps() -> None:
    [summary] = atif.make_summary("So far.", "user", "k", None, STEPS[3])
    assert summary == {"step_id": 3, "source": "user", "message": "So far."}
    answer = atif.make_result(RecordCall("c1", "bash"), "none")
    assert atif.is_format_of(answer)
    assert atif.read_content(answer).results[0][:2] == ("c1", "none")
    assert atif.wrap_results([answer]) is None


def test_what_is_no_step_is_an_error() -> None:
    with pytest.raises(ValueError, match="not a step"):
        list(atif.read_entries({"source": "user", "message": "x"}))
