"""Two conversations are compared message by message."""

import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.chat.reading.transcript import parse_transcript
from ctxkit.core.edit.conversation_diff import MAX_COMPARED, find_changes, format_changes, list_diff_messages
from ctxkit.core.summary.frame import frame_page


def said(text, role="user"):
    return {"role": role, "content": text}


def result(text, number=1):
    call = {"id": f"c{number}", "type": "function", "function": {"name": "ls", "arguments": '{"a": 1}'}}
    called = {"role": "assistant", "content": None, "tool_calls": [call]}
    return [called, {"role": "tool", "tool_call_id": f"c{number}", "content": text}]


def messages(turns):
    return list_diff_messages(parse_transcript(json.dumps([said("start"), *turns]).encode(), "chat"))


def changes(before, after):
    return [
        (change.kind, change.before and change.before.number, change.after and change.after.number)
        for change in find_changes(messages(before), messages(after))
    ]


def diff(before, after):
    return "".join(format_changes(list(find_changes(messages(before), messages(after))), "a", "b"))


def test_equal_conversations_have_no_changes() -> None:
    assert changes([said("a"), *result("b")], [said("a"), *result("b")]) == []
    assert diff([], []) == ""


def test_messages_that_repeat_are_matched() -> None:
    assert changes([said("hi"), said("a"), said("hi")], [said("hi"), said("b"), said("hi"), said("c")]) == [
        ("removed", 3, None),
        ("added", None, 3),
        ("added", None, 5),
    ]


def test_a_cleared_result_is_a_change_of_the_same_message() -> None:
    assert diff([*result("one\ntwo\nthree"), said("x")], [*result("one\nTWO\nthree"), said("x")]) == (
        "--- a\n+++ b\n@@ -3 +3 tool changed @@\n one\n-two\n+TWO\n three\n"
    )


def test_a_new_summary_is_a_change_and_calls_are_printed() -> None:
    old, new = (said(frame_page(f"# Context\n\n## Task\n{task}", ""), "system") for task in ("Old.", "New."))
    assert changes([old, *result("x")], [new]) == [("removed", 3, None), ("removed", 4, None), ("changed", 2, 2)]
    assert '-ls {"a": 1}\n' in diff([old, *result("x")], [new])
    assert "-Old.\n+New.\n" in diff([old], [new])


def test_long_messages_are_printed_whole() -> None:
    long = "\n".join(map(str, range(MAX_COMPARED + 1)))
    assert len(diff(result(long), result("x")).splitlines()) == MAX_COMPARED + 5


def test_a_control_character_does_not_reach_the_terminal() -> None:
    assert "\x1b" not in diff([said("a\x1b[2J")], [said("b")])


TURNS = st.lists(st.sampled_from([said("a"), said("b"), said("c"), said("d", "assistant")]), max_size=12)


@given(TURNS, TURNS)
def test_what_is_not_removed_is_what_is_not_added(before, after) -> None:
    found = list(find_changes(messages(before), messages(after)))
    removed = {change.before.number for change in found if change.before}
    added = {change.after.number for change in found if change.after}
    kept = [message.lines for message in messages(before) if message.number not in removed]
    assert kept == [message.lines for message in messages(after) if message.number not in added]


@pytest.mark.slow
def test_many_messages_take_linear_time() -> None:
    before = messages([said(str(number)) for number in range(4_000)])
    after = messages([said(str(number)) for number in range(4_000, 0, -1)])
    start = process_time()
    assert list(find_changes(before, after))
    assert process_time() - start < 1
