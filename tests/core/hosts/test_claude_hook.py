import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.claude_hook import MAX_CONTEXT, HookEvent, make_session_start, parse_event

EVENT = {"hook_event_name": "SessionStart", "session_id": "0e9f-1", "transcript_path": "/t.jsonl", "source": "compact"}


def test_an_event_is_read() -> None:
    assert parse_event(json.dumps(EVENT).encode()) == HookEvent("SessionStart", "0e9f-1", "/t.jsonl", "compact")


@pytest.mark.parametrize(
    "change",
    [
        {"session_id": "../x"},
        {"session_id": "a/b"},
        {"session_id": "x" * 65},
        {"session_id": 5},
        {"session_id": None},
        {"hook_event_name": ""},
        {"padding": "x" * (1 << 20)},
    ],
)
def test_an_event_without_a_name_or_a_session_is_none(change: dict[str, object]) -> None:
    assert parse_event(json.dumps({**EVENT, **change}).encode()) is None


@given(st.binary(max_size=40))
def test_any_bytes_are_an_event_or_none(data: bytes) -> None:
    assert parse_event(data) is None


def test_nesting_is_no_event() -> None:
    assert parse_event(b"[" * 100_000) is None


def test_a_page_becomes_context_unless_the_host_would_cut_it() -> None:
    answer = make_session_start("## Task\n- x")["hookSpecificOutput"]
    assert answer["hookEventName"] == "SessionStart"
    assert answer["additionalContext"].endswith("\n\n## Task\n- x")
    assert len(make_session_start("x" * MAX_CONTEXT)["hookSpecificOutput"]["additionalContext"]) < 10_000
    assert make_session_start("") == make_session_start("x" * (MAX_CONTEXT + 1)) == {}
