import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.events import (
    MAX_CONTEXT,
    MAX_EVENT,
    change_commands,
    make_session_start,
    parse_event,
    read_session_event,
    read_text,
)
from ctxkit.core.hosts.host import EventKind, HookEvent

EVENT = {"hook_event_name": "SessionStart", "session_id": "0e9f-1", "transcript_path": "/t.jsonl", "source": "compact"}
KINDS = {"SessionStart": EventKind.RESUMPTION, "PreToolUse": EventKind.COMMAND}


def read(value: dict[str, object]) -> HookEvent | None:
    return read_session_event(parse_event(json.dumps(value).encode()), KINDS)


def test_an_event_is_read() -> None:
    assert read(EVENT) == HookEvent(EventKind.RESUMPTION, "0e9f-1", "/t.jsonl")
    command = {"hook_event_name": "PreToolUse", "session_id": "a", "tool_input": {"command": "ls"}}
    assert read(command) == HookEvent(EventKind.COMMAND, tool_input={"command": "ls"})
    assert read({**command, "tool_input": "ls"}) is None


@pytest.mark.parametrize(
    "change",
    [
        {"session_id": "../x"},
        {"session_id": "a/b"},
        {"session_id": "x" * 65},
        {"session_id": 5},
        {"session_id": None},
        {"hook_event_name": ""},
        {"hook_event_name": "Stop"},
        {"source": "startup"},
        {"padding": "x" * (1 << 20)},
    ],
)
def test_an_event_without_a_name_or_a_session_is_none(change: dict[str, object]) -> None:
    assert read({**EVENT, **change}) is None


@given(st.binary(max_size=40))
def test_any_bytes_are_an_object_or_nothing(data: bytes) -> None:
    assert read_session_event(parse_event(data), KINDS) is None


def test_nesting_is_no_event() -> None:
    assert parse_event(b"[" * 100_000) == {}


def test_a_page_becomes_context_unless_the_host_would_cut_it() -> None:
    answer = json.loads(json.dumps(make_session_start("## Task\n- x")))["hookSpecificOutput"]
    assert answer["hookEventName"] == "SessionStart"
    assert answer["additionalContext"].endswith("\n\n## Task\n- x")
    assert len(json.dumps(make_session_start("x" * MAX_CONTEXT))) < 10_000
    assert make_session_start("") == make_session_start("x" * (MAX_CONTEXT + 1)) == {}


def test_each_command_of_an_input_is_changed() -> None:
    assert change_commands({"command": "a", "b": 1}, str.upper) == {"command": "A", "b": 1}
    assert change_commands({"commands": ["a", 5, "b"]}, str.upper) == {"commands": ["A", 5, "B"]}
    assert change_commands({"command": 5, "commands": "a"}, str.upper) == {"command": 5, "commands": "a"}


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"5", b"\xff", b"[" * 100_000, b'{"a": "' + b"x" * MAX_EVENT + b'"}'])
def test_anything_but_an_object_is_an_empty_one(data: bytes) -> None:
    assert parse_event(data) == {}


@given(st.dictionaries(st.text(), st.none() | st.integers() | st.text()))
def test_members_that_are_strings_are_read(value) -> None:
    assert {key: read_text(value, key) for key in value} == {key: text if isinstance(text, str) else "" for key, text in value.items()}
    assert read_text({}, "a") == ""
