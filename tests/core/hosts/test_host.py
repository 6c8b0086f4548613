import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.hosts.host import (
    ConflictError,
    EventKind,
    HookEvent,
    HookGroups,
    add_hooks,
    find_rivals,
    has_content,
    has_hooks,
    make_no_answer,
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
