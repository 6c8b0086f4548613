import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.host import (
    MAX_CONTEXT,
    MAX_EVENT,
    ConflictError,
    EventKind,
    HookEvent,
    HookGroups,
    add_hooks,
    change_commands,
    find_rivals,
    has_content,
    has_hooks,
    make_no_answer,
    make_session_start,
    parse_event,
    read_session_event,
    read_text,
    remove_empty,
    remove_hooks,
)
from ctxkit.core.hosts.wrap_script import make_hook_command
from ctxkit.core.text.json_value import JsonValue


def test_a_conflict_has_a_hint() -> None:
    error = ConflictError("sets X", hint="remove X")
    assert (str(error), error.hint) == ("sets X", "remove X")


def test_an_event_has_no_input_unless_it_is_given() -> None:
    assert HookEvent(EventKind.COMPACTION).tool_input == {}
    assert make_no_answer("page") == {}


MATCHERS = {"Before": "Bash", "After": ""}
HOOK: dict[str, JsonValue] = {"type": "command", "command": "own"}


@pytest.mark.parametrize("event", MATCHERS)
def test_hooks_of_others_stay_wherever_they_are(event: str) -> None:
    theirs = {"type": "command", "command": "audit"}
    text = add_hooks(json.dumps({"hooks": {event: [{"hooks": [theirs]}]}}), HOOK, MATCHERS)
    value = json.loads(text)
    assert [len(value["hooks"][name]) for name in MATCHERS] == [2 if name == event else 1 for name in MATCHERS]
    value["hooks"][event][1]["hooks"].insert(0, theirs)
    removed = json.loads(remove_hooks(json.dumps(value), "own", list(MATCHERS)))
    own_group = {key: inner for key, inner in value["hooks"][event][1].items() if key == "matcher"}
    assert removed == {"hooks": {event: [{"hooks": [theirs]}, {**own_group, "hooks": [theirs]}]}}


@given(st.dictionaries(st.text(max_size=5), st.integers(), max_size=3), st.sampled_from([None, 2, 4]))
def test_hooks_are_added_once_and_go_again(value: dict[str, int], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    changed = add_hooks(text, HOOK, MATCHERS)
    assert has_hooks(changed, "own", list(MATCHERS))
    assert not has_hooks(changed, "other", list(MATCHERS))
    assert add_hooks(changed, HOOK, MATCHERS) == changed
    assert remove_hooks(changed, "other", list(MATCHERS)) == changed
    assert json.loads(remove_hooks(changed, "own", list(MATCHERS))) == value


@pytest.mark.parametrize("text", ["[]", '{"hooks": 5}', '{"hooks": {"Before": {}}}', "{", "x"])
def test_settings_of_another_shape_are_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"has no|is not JSON"):
        add_hooks(text, HOOK, MATCHERS)


def test_only_what_is_empty_goes() -> None:
    assert json.loads(remove_empty('{"a": {}, "b": [1]}', ["a"])) == {"b": [1]}
    assert remove_empty('{"b": [1]}', ["b"]) == '{"b": [1]}'
    assert (has_content("\ufeff\n"), has_content("{}")) == (False, True)


@pytest.mark.parametrize(
    ("hooks", "rivals"),
    [
        ({}, []),
        ({"PreToolUse": [{"hooks": [{"command": "/usr/bin/rtk rewrite"}, {"command": "headroom"}]}]}, ["rtk", "headroom"]),
        ({"PreToolUse": [{"hooks": [{"command": "partkit"}]}]}, []),
    ],
)
def test_rivals_are_found_by_whole_words(hooks: dict[str, object], rivals: list[str]) -> None:
    assert find_rivals(json.dumps({"hooks": hooks})) == rivals
    assert find_rivals("") == []


def test_the_hooks_of_a_host_are_added_to_each_event_and_removed() -> None:
    hooks = HookGroups({"Before": "shell", "After": ""}, {"type": "command", "command": "", "timeout": 9})
    text = hooks.install("{}", "/d")
    command = make_hook_command("/d")
    group = {"hooks": [{"type": "command", "command": command, "timeout": 9}]}
    assert json.loads(text) == {"hooks": {"Before": [{"matcher": "shell", **group}], "After": [group]}}
    assert hooks.is_installed(text, "/d")
    assert not hooks.is_installed(text, "/e")
    assert json.loads(hooks.remove(text, "/d")) == {}


def test_a_matcher_of_an_earlier_version_is_replaced() -> None:
    hook: dict[str, JsonValue] = {"type": "command", "command": "sh '/d/hook'"}
    others = {"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}
    old = json.dumps({"hooks": {"After": [others, {"matcher": "mcp__.*", "hooks": [hook]}]}})
    text = add_hooks(old, hook, {"After": "mcp__.*|Grep"})
    assert json.loads(text) == {"hooks": {"After": [others, {"matcher": "mcp__.*|Grep", "hooks": [hook]}]}}
    assert add_hooks(text, hook, {"After": "mcp__.*|Grep"}) == text


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
