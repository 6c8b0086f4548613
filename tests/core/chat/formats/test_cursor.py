"""Transcripts of Cursor's agent: messages and events, one per line, with calls that have no results."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxkit.core.chat.branches import Change, apply_change, find_active_path
from ctxkit.core.chat.formats import cursor
from ctxkit.core.chat.model.message import RecordCall
from ctxkit.core.chat.reading.format_registry import find_format
from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.chat.validity.invariants import find_breaches
from ctxkit.core.chat.validity.repair import repair_conversation
from ctxkit.core.errors import MalformedInputError
from tests.core.chat.talks import lines
from tests.core.compact.sizes import compact, policy, total
from tests.example_counts import count_examples

CALL = {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}
END = {"type": "turn_ended", "status": "success"}


def said(role, *blocks):
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"role": role, "message": {"content": content}}


TALK = [said("user", "<user_query>\nLook.\n</user_query>"), said("assistant", "I list it.", CALL), said("assistant", "One file."), END]


def read(*values):
    return parse_transcript(lines(values), "chat")


def test_messages_have_blocks_and_events_are_notes() -> None:
    found = read(*TALK)
    assert found.format is cursor
    assert [record.kind for record in found.records] == ["message", "message", "message", "note"]
    assert [record.role for record in found.records[:3]] == ["user", "assistant", "assistant"]
    assert found.records[1].calls[0].name == "Shell"
    assert found.records[1].calls[0].arguments == {"command": "ls"}
    assert found.records[0].words == "<user_query>\nLook.\n</user_query>"
    assert find_active_path(found) == (0, 1, 2)


def test_calls_need_no_results() -> None:
    found = read(*TALK)
    assert find_breaches(found) == ()
    assert repair_conversation(found, find_active_path(found)).actions == ()


def test_blocks_of_results_belong_to_no_call_and_count() -> None:
    result = cursor.wrap_results([cursor.make_result(RecordCall("", "Shell"), "a.py")])
    found = read(*TALK[:2], result, TALK[2])
    assert find_active_path(found) == (0, 1, 2, 3)
    assert not found.records[2].is_user_request
    assert total(found) > total(read(*TALK[:3]))
    assert find_breaches(found) == ()
    assert repair_conversation(found, find_active_path(found)).actions == ()


def test_the_tokens_are_those_of_the_blocks() -> None:
    assert total(read(said("user", "one two"), END)) == total(parse_transcript(b'[{"role":"user","content":"one two"}]', "chat"))


@pytest.mark.parametrize(
    ("value", "is_message"),
    [
        (TALK[0], True),
        (said("assistant", CALL), True),
        ({"role": "user", "message": {"content": [{"text": "hi"}]}}, True),
        (END, False),
        (said("system", "x"), False),
        ({"role": "user", "message": {"content": "hi"}}, False),
        ({"role": "user", "message": {"content": ["hi"]}}, False),
        ({"role": "user", "message": {"role": "user", "content": []}}, False),
        ({**TALK[0], "type": "user"}, False),
        ({**TALK[0], "uuid": "1"}, False),
        ({"role": "user", "message": "hi"}, False),
        ([[TALK[0]]], False),
        (None, False),
    ],
)
def test_a_message_has_no_more_than_a_role_and_blocks(value, is_message: bool) -> None:
    assert cursor.is_format_of(value) is is_message
    assert (find_format([value]) is cursor) is is_message


def test_a_list_of_messages_is_no_message_but_a_transcript() -> None:
    assert not cursor.is_format_of([TALK[0]])
    assert find_format([TALK]) is cursor


def test_a_transcript_may_begin_with_an_event_and_a_line_without_a_role_is_an_error() -> None:
    assert read(END, *TALK).format is cursor
    with pytest.raises(MalformedInputError, match="line 2"):
        read(TALK[0], {"status": "success"})


def test_a_summary_is_a_message_of_the_user() -> None:
    assert cursor.make_summary("So far.", "system", "0", None, TALK[0]) == (said("user", "So far."),)


def test_an_unchanged_transcript_keeps_its_bytes() -> None:
    found = read(*TALK)
    assert apply_change(found, Change()) == found.text


@given(st.integers(3, 40), st.sampled_from([600, 1024, 2048, 4096]))
@settings(max_examples=count_examples(20), deadline=None)
def test_a_compacted_transcript_is_a_transcript(turns: int, window: int) -> None:
    talk = [TALK[0]]
    for turn in range(turns):
        talk += [said("assistant", f"Step {turn}: " + "one more line of text " * 9, CALL)]
        talk += [END, said("user", f"<user_query>\nGo on with part {turn}.\n</user_query>")] if turn % 5 == 4 else []
    outcome = compact(read(*talk), policy(window), stores=False)
    found = parse_transcript(outcome.content, "chat")
    assert found.format is cursor
    assert find_breaches(found) == ()
    assert outcome.result != "refused"
    if outcome.result == "compacted":
        assert total(found) == outcome.after.amount.high < outcome.before.amount.high
        raws = set(lines(talk).decode().splitlines())
        new = [line for line in outcome.content.decode().splitlines() if line not in raws]
        assert json.loads(new[0])["role"] == "user"
        assert len(find_active_path(found)) == outcome.after.messages
