"""Copilot CLI: events in a chain, with what the model received beside what the user typed."""

import json

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.formats import copilot
from ctxkit.core.chat.model.message import RecordCall
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches

OUTPUT = "Serving HTTP on 0.0.0.0 port 8099, and more. " * 5


def chain(*events):
    """Return events that follow one another."""
    rows = [(kind, data, more) for kind, data, *more in events]
    return [
        {"type": kind, "data": data, "id": f"e{at}", "timestamp": "t", "parentId": f"e{at - 1}" if at else None, **(more[0] if more else {})}
        for at, (kind, data, more) in enumerate(rows)
    ]


CALL = {"toolCallId": "c", "name": "bash", "arguments": {"command": "serve"}, "type": "function"}
START = ("session.start", {"sessionId": "s", "copilotVersion": "1.0.102"})
ASKED = ("user.message", {"content": "Serve.", "transformedContent": "<current_datetime>t</current_datetime>\n\nServe."})
CALLED = ("assistant.message", {"content": "", "reasoningText": "hm", "toolRequests": [CALL]})
ANSWERED = ("tool.execution_complete", {"toolCallId": "c", "success": True, "result": {"content": f"{OUTPUT}!", "detailedContent": OUTPUT}, "shellExecution": {"exitCode": 3}})
TALK = (START, ASKED, ("system.message", {"role": "system", "content": "Be brief."}), CALLED, ("hook.end", {}), ANSWERED, ("assistant.message", {"content": "It runs."}))
BEGUN = ("session.compaction_start", {"compactionAttemptId": "k"})
DONE = ("session.compaction_complete", {"success": True, "compactionAttemptId": "k", "summaryContent": "So far."})


def read(*events):
    return parse_transcript("\n".join(map(json.dumps, chain(*events))).encode(), "it")


def test_events_hold_what_was_said_called_and_returned() -> None:
    found = read(*TALK)
    assert (found.format, find_active_path(found), find_breaches(found)) == (copilot, (1, 2, 3, 5, 6), ())
    assert [record.role for record in found.records] == ["", "user", "system", "assistant", "", "tool", "assistant"]
    assert found.records[1].words.endswith("\n\nServe.")
    called, result = found.records[3], found.records[5].results[0]
    place = ("data", "toolRequests", 0)
    assert called.calls == (RecordCall("c", "bash", {"command": "serve"}, (*place, "arguments"), place),)
    assert [part.kind for part in called.messages[0].parts] == ["thinking", "call"]
    assert (result.id, result.failed, result.place) == ("c", True, ("data", "result", "content"))
    assert result.copies == (("data", "result", "detailedContent"),)


def test_a_result_may_be_an_error() -> None:
    data = {"toolCallId": "c", "success": False, "error": {"message": "denied", "code": "denied"}}
    [result] = copilot.read_content(chain(("tool.execution_complete", data))[0]).results
    assert (result.text, result.failed, result.place) == ("denied", True, ("data", "error", "message"))


def test_a_compaction_keeps_what_follows_its_start() -> None:
    found = read(*TALK[:4], BEGUN, ANSWERED, DONE, ("user.message", {"content": "On."}))
    assert find_active_path(found) == (6, 5, 7)
    assert (found.records[6].kind, found.records[6].automatic, found.records[6].words) == ("summary", True, "So far.")
    cancelled = ("session.compaction_complete", {"success": False, "compactionAttemptId": "k"})
    assert find_active_path(read(*TALK[:4], BEGUN, ANSWERED, cancelled)) == (1, 2, 3, 5)


PROMPT = ("system.message", {"role": "system", "content": "Be brief."})
LATER = ("system.message", {"role": "system", "content": "Be very brief."})


def test_the_system_prompt_of_the_last_turn_is_sent_without_earlier_copies() -> None:
    found = read(START, ASKED, PROMPT, CALLED, ANSWERED, ASKED, PROMPT, ("assistant.message", {"content": "a"}), ASKED, LATER)
    assert find_active_path(found) == (1, 3, 4, 5, 7, 8, 9)
    assert find_active_path(found, "e7") == (1, 3, 4, 5, 6, 7)


def test_a_prompt_of_another_role_or_name_is_sent_too() -> None:
    developer = ("system.message", {"role": "developer", "content": "Use tabs."})
    named = ("system.message", {"role": "system", "name": "rules", "content": "Use tabs."})
    assert find_active_path(read(START, PROMPT, developer, named, ASKED, PROMPT)) == (2, 3, 4, 5)


def test_a_rewind_brings_the_earlier_prompt_back() -> None:
    rewind = ("session.snapshot_rewind", {"upToEventId": "e3"})
    assert find_active_path(read(START, ASKED, PROMPT, ASKED, LATER, rewind)) == (1, 2)


def test_calls_at_once_are_messages_before_their_results() -> None:
    other = ("assistant.message", {"content": "", "toolRequests": [{**CALL, "toolCallId": "d"}]})
    told = ("tool.execution_complete", {"toolCallId": "d", "success": True, "result": {"content": "done"}})
    found = read(START, ASKED, CALLED, other, ANSWERED, told)
    assert find_breaches(found) == ()
    assert [breach.rule for breach in find_breaches(read(START, ASKED, CALLED, ASKED))] == ["unanswered"]


def test_a_rewind_takes_events_back() -> None:
    rewind = ("session.snapshot_rewind", {"upToEventId": "e3", "eventsRemoved": 4})
    assert find_active_path(read(*TALK, rewind)) == (1, 2)


def test_another_agent_has_a_conversation_of_its_own() -> None:
    assert find_active_path(read(START, ASKED, (*CALLED, {"agentId": "a"}))) == (1,)


def test_a_message_that_no_person_wrote() -> None:
    data = {"content": "Continue.", "isAutopilotContinuation": True}
    assert copilot.read_content(chain(("user.message", data))[0]).automatic


def test_entries_that_are_written_hang_in_the_chain() -> None:
    key = "0123456789abcdef" * 2
    [made] = copilot.make_summary("So far.", "user", key, "e0", chain(ASKED)[0])
    assert made == {"type": "user.message", "data": {"content": "So far.", "source": "summary"}, "id": copilot.make_id(key), "timestamp": "t", "parentId": "e0"}
    assert copilot.patch_parent(made, None) == (ValuePatch(("parentId",), None),)
    found = read(*TALK)
    assert find_active_path(parse_transcript(apply_change(found, Change(dropped=frozenset({4}))).encode(), "it")) == (1, 2, 3, 4, 5)
