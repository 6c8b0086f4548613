import json
import subprocess

import pytest

from ctxkit.core.hosts.claude_code import (
    EVENTS,
    PATH,
    ConflictError,
    find_prefix,
    find_rivals,
    install,
    make_hook_command,
    make_hook_script,
    make_prefix_script,
    remove,
)


@pytest.mark.parametrize("text", ["", "\ufeff", "{}", '{"env": {"A": "1"}, "model": "x"}', '{\n  // c\n  "env": {}\n}\n'])
def test_a_program_is_named_once_and_removed(text: str) -> None:
    changed = install(text, "/a/prefix", "/a/hook")
    assert find_prefix(changed) == "/a/prefix"
    assert install(changed, "/a/prefix", "/a/hook") == changed
    assert find_prefix(remove(changed, "/a/prefix", "/a/hook")) is None
    assert remove(changed, "/b/prefix", "/b/hook") == changed


def test_another_program_is_a_conflict() -> None:
    with pytest.raises(ConflictError, match=r"sets CLAUDE_CODE_SHELL_PREFIX to '/other'"):
        install(json.dumps({PATH[0]: {PATH[1]: "/other"}}), "/a/prefix", "/a/hook")


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


def test_the_script_is_shell_and_quotes_its_paths() -> None:
    script = make_prefix_script("/it's/ctxkit", "/a b/python")
    assert "ctxkit='/it'\"'\"'s/ctxkit'\npython='/a b/python'\n" in script
    assert subprocess.run(["sh", "-n"], input=script.encode()).returncode == 0
    hook = make_hook_script("/a b/ctxkit", "/a/python")
    assert subprocess.run(["sh", "-n"], input=hook.encode()).returncode == 0
    assert subprocess.run(["sh", "-c", make_hook_command("/no such/hook")]).returncode == 0


@pytest.mark.parametrize("event", EVENTS)
def test_hooks_of_others_stay_wherever_they_are(event: str) -> None:
    theirs = {"type": "command", "command": "audit"}
    text = install(json.dumps({"hooks": {event: [{"hooks": [theirs]}]}}), "/a/prefix", "/a/hook")
    value = json.loads(text)
    assert [len(value["hooks"][name]) for name in EVENTS] == [2 if name == event else 1 for name in EVENTS]
    value["hooks"][event][1]["hooks"].insert(0, theirs)
    removed = json.loads(remove(json.dumps(value), "/a/prefix", "/a/hook"))
    own_group = {key: inner for key, inner in value["hooks"][event][1].items() if key == "matcher"}
    assert removed == {"hooks": {event: [{"hooks": [theirs]}, {**own_group, "hooks": [theirs]}]}}
