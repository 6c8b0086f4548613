"""What a caller is after: --focus, a comment at the end of its command, CTXKIT_FOCUS, and lines read later."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ctxkit.core.text.retrieval_hint import PREFIX
from tests.conftest import Run

SMALL = ("--window", "1500", "--tokenizer", "bytes/3")
SCRIPT = "seq 3000; echo 'the heron landed'; seq 400; echo 'a lost egret'; seq 900"
LOG = "".join(f"{number}\n" for number in range(1, 3001)) + "the heron landed\n" + "".join(f"{n}\n" for n in range(400)) + "a lost egret\n"


def find_focus(out: bytes) -> str:
    """Return what a map says that it was made for."""
    match = re.search(r"^## Focus: (.*): \d", out.decode(), re.MULTILINE)
    return match[1] if match else ""


@pytest.mark.parametrize(
    ("command", "env", "focus"),
    [
        (["shell", *SMALL, "-c", f"{SCRIPT} # focus: lost egret"], {}, "lost egret"),
        (["shell", *SMALL, "-c", f"{SCRIPT} # focus: lost egret"], {"CTXKIT_FOCUS": "heron"}, "lost egret"),
        (["shell", *SMALL, "--focus", "heron", "-c", f"{SCRIPT} # focus: lost egret"], {"CTXKIT_FOCUS": "x"}, "heron"),
        (["shell", *SMALL, "-c", SCRIPT], {"CTXKIT_FOCUS": "heron"}, "heron"),
        (["shell", *SMALL, "--focus", "", "-c", f"{SCRIPT} # focus: lost egret"], {"CTXKIT_FOCUS": "x"}, ""),
        (["shell", *SMALL, "-c", f"{SCRIPT}; echo '# focus: heron'"], {}, ""),
        (["run", *SMALL, "--", "bash", "-c", f"{SCRIPT} # focus: lost egret"], {}, "lost egret"),
        (["run", *SMALL, "--", "sh", "-ec", f"{SCRIPT} # focus: heron"], {"CTXKIT_FOCUS": "egret"}, "heron"),
        (["run", *SMALL, "--", "bash", "-c", SCRIPT], {"CTXKIT_FOCUS": "heron"}, "heron"),
    ],
)  # fmt: skip
def test_a_command_says_what_its_map_is_for(run: Run, command: list[str], env: dict[str, str], focus: str) -> None:
    done = run(*command, env={"SHELL": "/bin/bash", **env})
    assert (done.status, find_focus(done.out)) == (0, focus), done.err
    title = done.out.decode().split("(")[0]
    assert "focus" not in title or focus == ""


def test_the_words_of_claude_codes_script_are_those_of_its_command(run: Run, tmp_path: Path) -> None:
    quoted = f"{SCRIPT} # focus: lost egret".replace("'", "'\"'\"'")
    script = f"true && eval '{quoted}' < /dev/null && pwd -P >| {tmp_path}/cwd"
    done = run("shell", *SMALL, "--host", "claude-code", "-c", script, env={"SHELL": "/bin/bash"})
    assert find_focus(done.out) == "lost egret"


@pytest.mark.parametrize(
    ("args", "env", "focus"),
    [
        (["--name", "make test # focus: lost egret"], {}, "lost egret"),
        (["--name", "make test # focus: lost egret", "--host", "codex"], {"CTXKIT_FOCUS": "heron"}, "lost egret"),
        (["--name", "make test # focus: lost egret", "--focus", "heron"], {}, "heron"),
        (["--name", "make test"], {"CTXKIT_FOCUS": "heron"}, "heron"),
        ([], {"CTXKIT_FOCUS": "heron"}, "heron"),
        (["--name", "echo '# focus: heron'"], {}, ""),
    ],
)
def test_gate_reads_it_from_the_command_that_it_is_told(
    run: Run, args: list[str], env: dict[str, str], focus: str
) -> None:
    done = run("gate", *SMALL, *args, stdin=LOG, env=env)
    assert (done.status, find_focus(done.out)) == (0, focus), done.err


def test_a_projects_settings_set_no_focus(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".ctxkit.toml").write_text('focus = "heron"\n')
    assert find_focus(run("gate", *SMALL, stdin=LOG, cwd=tmp_path).out) == ""


def test_turn_reads_it_from_the_command_of_a_call(run: Run) -> None:
    call = {"name": "bash", "arguments": json.dumps({"command": "make test # focus: lost egret"})}
    messages = [
        {"role": "user", "content": "Test it."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": call}]},
        {"role": "tool", "tool_call_id": "c1", "content": LOG},
    ]
    stdin = "".join(f"{json.dumps(message)}\n" for message in messages)
    done = run("turn", "--session", "s", "--window", "4000", "--tokenizer", "bytes/3", stdin=stdin, env={"CTXKIT_FOCUS": "heron"})
    assert done.status == 0, done.err
    assert find_focus(json.loads(done.out)["messages"][-1]["content"].encode()) == "lost egret"


@pytest.fixture
def ref(run: Run) -> str:
    return run("cache", "put", stdin=LOG).out.decode().strip()


def test_stored_lines_are_found_by_words(run: Run, ref: str) -> None:
    done = run("cache", "get", ref, "--focus", "where did the heron land")
    assert (done.status, done.err) == (0, "")
    assert done.out == b"2999-2999\n3000-3000\n3001:the heron landed\n3002-0\n3003-1\n"


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["--focus", "nosuchword"], 1, ""),
        (["--focus", " "], 1, ""),
        (["--focus", "heron", "--target", "1"], 1, "no line fits 1 tokens"),
        (["--focus", "heron", "--target", "0"], 2, "--target"),
        (["--target", "9"], 2, "--target needs --focus"),
        (["--focus", "heron", "--grep", "x"], 2, "--focus cannot be combined"),
        (["--focus", "heron", "--lines", "1:9"], 2, "--focus cannot be combined"),
        (["--focus", "heron", "--gate"], 2, "--focus cannot be combined"),
        (["--focus", "heron", "--json-path", ".a"], 2, "--focus cannot be combined"),
    ],
)
def test_statuses_of_a_search_by_words_are_honest(
    run: Run, ref: str, args: list[str], status: int, message: str
) -> None:
    done = run("cache", "get", ref, *args)
    assert (done.status, done.out) == (status, b"")
    assert message in done.err


@pytest.mark.parametrize("target", [20, 60, 300])
def test_a_target_is_kept(run: Run, target: int) -> None:
    log = "".join(f"step {number}\nheron {number % 7} of {number}\n" for number in range(3000))
    ref = run("cache", "put", stdin=log).out.decode().strip()
    done = run("cache", "get", ref, "--focus", "heron", "--target", str(target), "--tokenizer", "bytes/3")
    assert done.status == 0
    assert 0 < len(done.out) / 3 <= target


def test_read_result_finds_lines_by_words(run: Run, ref: str) -> None:
    def call(**arguments: Any) -> dict[str, Any]:
        params = {"name": "read_result", "arguments": {"ref_id": ref, **arguments}}
        done = run("mcp", stdin=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}) + "\n")
        result: dict[str, Any] = json.loads(done.out)["result"]
        return result

    assert call(focus="lost egret")["content"][0]["text"].splitlines()[2] == "3402:a lost egret"
    none = call(focus="nosuchword")
    assert none["isError"]
    assert "no line holds a word of the focus" in none["content"][0]["text"]
    assert call(focus="egret", lines="1:2")["content"][0]["text"] == "1\n2\n"


def test_a_map_that_leaves_entries_out_offers_words(run: Run) -> None:
    tests = "".join(f"tests/test_{n}.py::test_a FAILED\n" for n in range(900))
    report = f"============ test session starts ============\ncollected 900 items\n\n{tests}"
    failures = "".join(f"______ test_{n} ______\n\n    def test_{n}():\n>       assert {n} == 0\nE       assert {n} == 0\n\ntests/test_{n}.py:3: AssertionError\n" for n in range(900))
    log = f"{report}\n============ FAILURES ============\n{failures}============ 900 failed in 1.00s ============\n"
    last = run("gate", "--window", "4000", "--tokenizer", "bytes/3", stdin=log).out.decode().splitlines()[-1]
    assert last.startswith(PREFIX)
    assert " (or: --focus WORDS)" in last
    command = last.removeprefix(PREFIX).split(" --lines")[0].split()[1:]
    found = run(*command, "--focus", "test_417 assert")
    assert b":>       assert 417 == 0\n" in found.out
    asked = run("gate", "--window", "4000", "--tokenizer", "bytes/3", "--focus", "test_417", stdin=log).out
    assert b"--focus WORDS" not in asked
    whole = run("gate", "--window", "4000", "--tokenizer", "bytes/3", stdin="".join(f"{n}\n" for n in range(9000))).out
    assert b"--focus WORDS" not in whole
