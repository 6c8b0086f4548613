import json
import subprocess

import pytest

from ctxkit.core.hosts.claude_code import (
    PATH,
    ConflictError,
    find_prefix,
    find_rivals,
    install_prefix,
    make_prefix_script,
    remove_prefix,
)


@pytest.mark.parametrize("text", ["", "\ufeff", "{}", '{"env": {"A": "1"}, "model": "x"}', '{\n  // c\n  "env": {}\n}\n'])
def test_a_program_is_named_once_and_removed(text: str) -> None:
    changed = install_prefix(text, "/a/prefix")
    assert find_prefix(changed) == "/a/prefix"
    assert install_prefix(changed, "/a/prefix") == changed
    assert find_prefix(remove_prefix(changed, "/a/prefix")) is None
    assert remove_prefix(changed, "/b/prefix") == changed


def test_another_program_is_a_conflict() -> None:
    with pytest.raises(ConflictError, match=r"sets CLAUDE_CODE_SHELL_PREFIX to '/other'"):
        install_prefix(json.dumps({PATH[0]: {PATH[1]: "/other"}}), "/a/prefix")


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
