"""Trajectories of SWE-agent: messages under ``history``, whose results name their calls in a list."""

import json

import pytest

from ctxkit.core.chat.branches import Change, apply_change
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import trajectory
from ctxkit.core.chat.model.message import RecordCall
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.pairing import pair_calls

CALL = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}
HISTORY = [
    {"role": "system", "content": "Be brief.", "agent": "main", "message_type": "system_prompt"},
    {"role": "user", "content": "Look.", "agent": "main"},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL], "agent": "main"},
    {"role": "tool", "content": "a.txt", "tool_call_ids": ["c"], "agent": "main"},
]


def read(history, **more):
    return parse_transcript(json.dumps({"trajectory": [], "history": history, **more}).encode(), "it")


def test_the_history_is_what_is_said() -> None:
    found = read(HISTORY, info={"exit_status": "submitted"})
    assert found.format is trajectory
    assert [record.role for record in found.records] == ["system", "user", "assistant", "tool"]
    assert [(asked.call.id, told.result.id) for asked, told in pair_calls(found.records, trajectory.RULES).paired] == [("c", "c")]
    assert [record.messages[0].answers for record in found.records] == [(), (), (), ("c",)]


def test_a_system_prompt_may_stand_beside_the_history() -> None:
    head = read(HISTORY[1:], system_prompt="Be brief.").head
    assert [entry.parts[0].text for entry in head[1:]] == ["Be brief."]


def test_roles_of_other_agents_are_the_model_s() -> None:
    found = read([{"role": "human", "content": "hi"}, {"role": "Orchestrator (thought)", "content": "hm"}])
    assert [record.role for record in found.records] == ["user", "assistant"]


def test_a_cleared_result_is_read_as_such() -> None:
    found = read(HISTORY)
    [one] = found.records[3].results
    again = parse_transcript(apply_change(found, Change(patches={3: [ValuePatch(one.place, "[cleared]")]})).encode(), "it")
    assert again.records[3].results[0].text == "[cleared]"


def test_what_is_made_here_is_a_message_of_the_same_agent() -> None:
    [summary] = trajectory.make_summary("So far.", "system", "0" * 32, None, HISTORY[1])
    assert summary == {"role": "system", "content": "So far.", "agent": "main"}
    made = trajectory.make_result(RecordCall("c", "bash"), "none")
    assert [(one.id, one.text) for one in trajectory.read_content(made).results] == [("c", "none")]


def test_other_objects_are_no_trajectory() -> None:
    with pytest.raises(ValueError, match="not a trajectory"):
        list(trajectory.read_entries({"history": ["a"]}))
