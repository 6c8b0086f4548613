"""ctxkit hook: events of an agent host, answered or ignored."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run

SESSION = "0e9f77dc-40de"


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """Return a transcript of Claude Code in which the user states a rule and a test fails."""
    path = tmp_path / "transcript.jsonl"
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Never edit generated.py."},
        {"role": "assistant", "content": [{"type": "text", "text": "I leave it alone."}]},
        {"role": "user", "content": "Make the parser accept empty input."},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest tests/test_parser.py"}}],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "FAILED tests/test_parser.py::test_empty"}
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "The test fails because of a missing guard."}]},
    ]
    rows = [
        {
            "type": message["role"],
            "message": message,
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "sessionId": SESSION,
            "timestamp": "2026-11-22T10:00:00Z",
        }
        for number, message in enumerate(messages)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def event(name: str, **members: object) -> str:
    return json.dumps({"hook_event_name": name, "session_id": SESSION, **members})


def test_facts_come_back_after_a_compaction(run: Run, transcript: Path, home: dict[str, str]) -> None:
    saved = run("hook", "claude-code", stdin=event("PreCompact", transcript_path=str(transcript), trigger="auto"))
    assert (saved.status, saved.out, saved.err) == (0, b"", "")
    (page,) = Path(home["XDG_DATA_HOME"]).rglob(f"{SESSION}.md")
    assert page.stat().st_mode & 0o077 == 0
    done = run("hook", "claude-code", stdin=event("SessionStart", source="compact"))
    context = json.loads(done.out)["hookSpecificOutput"]["additionalContext"]
    assert "Never edit generated.py." in context
    assert "tests/test_parser.py" in context


def test_a_later_compaction_keeps_the_facts_of_the_earlier_one(run: Run, transcript: Path) -> None:
    run("hook", "claude-code", stdin=event("PreCompact", transcript_path=str(transcript)))
    first_row = transcript.read_text().splitlines(keepends=True)[0]
    transcript.write_text(first_row.replace("Never edit generated.py.", "Now update the docs."))
    run("hook", "claude-code", stdin=event("PreCompact", transcript_path=str(transcript)))
    done = run("hook", "claude-code", stdin=event("SessionStart", source="compact"))
    assert b"Now update the docs." in done.out
    assert b"test_parser.py::test_empty" in done.out


@pytest.mark.parametrize(
    "stdin",
    [
        "",
        "not json",
        "[]",
        event("PreToolUse"),
        event("SessionStart", source="startup"),
        event("SessionStart", source="compact"),
        event("PreCompact", transcript_path="/no/such/file"),
        event("PreCompact", transcript_path="/dev/zero"),
        event("PreCompact"),
        json.dumps({"hook_event_name": "PreCompact", "session_id": "../../x"}),
    ],
)
def test_any_other_event_has_no_answer(run: Run, stdin: str, home: dict[str, str]) -> None:
    done = run("hook", "claude-code", stdin=stdin)
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert not list(Path(home["XDG_DATA_HOME"]).rglob("*.md"))


@pytest.mark.parametrize("env", [{"CTXKIT_DISABLE": "1"}, {"CTXKIT_STORE": "false"}])
def test_nothing_is_kept_where_the_user_says_so(run: Run, transcript: Path, home: dict[str, str], env: dict[str, str]) -> None:
    run("hook", "claude-code", stdin=event("PreCompact", transcript_path=str(transcript)), env=env)
    assert not list(Path(home["XDG_DATA_HOME"]).rglob("*.md"))


def test_secrets_are_masked_where_the_user_says_so(run: Run, transcript: Path, home: dict[str, str]) -> None:
    key = "ghp_Zx8Kq2Lm9Rt4Vw7Yb1Nc6Pd3Fg5Hj0SsUuAaE"
    transcript.write_text(transcript.read_text().replace("Make the parser accept empty input.", f"Use the key {key} for the tests."))
    run("hook", "claude-code", stdin=event("PreCompact", transcript_path=str(transcript)))
    (page,) = Path(home["XDG_DATA_HOME"]).rglob("*.md")
    assert key in page.read_text()
    page.unlink()
    run("hook", "claude-code", stdin=event("PreCompact", transcript_path=str(transcript)), env={"CTXKIT_REDACT": "1"})
    assert key not in page.read_text()


def test_pages_of_old_sessions_go(run: Run, transcript: Path, home: dict[str, str]) -> None:
    run("hook", "claude-code", stdin=event("PreCompact", transcript_path=str(transcript)))
    (page,) = Path(home["XDG_DATA_HOME"]).rglob("*.md")
    old = page.with_name("old.md")
    old.write_text("x")
    os.utime(old, (0, time.time() - 31 * 24 * 3600))
    run("hook", "claude-code", stdin=event("PreCompact", transcript_path=str(transcript)))
    assert page.exists()
    assert not old.exists()


def test_an_unknown_host_is_an_error(run: Run) -> None:
    assert run("hook", "emacs").status == 2


@pytest.fixture
def wrap(home: dict[str, str]) -> Path:
    path = Path(home["XDG_DATA_HOME"]) / "ctxkit" / "hosts" / "codex" / "wrap.sh"
    path.parent.mkdir(parents=True)
    path.write_text("")
    return path


def codex(command: object) -> str:
    return event("PreToolUse", tool_name="Bash", tool_input={"command": command, "workdir": "/x"})


def test_a_command_of_codex_gets_the_script_in_front(run: Run, wrap: Path) -> None:
    answer = json.loads(run("hook", "codex", stdin=codex("make\ntest"), env={"SHELL": "/bin/zsh"}).out)
    changed = {"command": f"test -r {wrap} && . {wrap}; make\ntest", "workdir": "/x"}
    fields = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": changed}
    assert answer == {"hookSpecificOutput": fields}
    assert run("hook", "codex", stdin=codex(changed["command"])).out == b""


@pytest.mark.parametrize(
    ("command", "env"),
    [
        *((command, {}) for command in ("top", "cd x && vim y", "CTXKIT_DISABLE=1 make", 5)),
        *(("make", env) for env in ({"CTXKIT_DISABLE": "1"}, {"CTXKIT_EXCLUDE": "make"}, {"CTXKIT_INCLUDE": "git"})),
        ("make", {"SHELL": "/usr/bin/fish"}),
    ],
)
def test_a_command_that_needs_a_terminal_or_bypasses_the_gate_stays(run: Run, wrap: Path, command: object, env: dict[str, str]) -> None:
    done = run("hook", "codex", stdin=codex(command), env=env)
    assert (done.status, done.out, done.err) == (0, b"", "")


def test_without_the_script_a_command_stays(run: Run, wrap: Path) -> None:
    wrap.unlink()
    assert run("hook", "codex", stdin=codex("make")).out == b""


@pytest.mark.parametrize(
    ("host", "stdin", "key"),
    [
        ("gemini", event("BeforeTool", tool_name="run_shell_command", tool_input={"command": "make"}), "hookSpecificOutput"),
        ("copilot", json.dumps({"toolName": "bash", "toolArgs": {"command": "make"}}), "modifiedArgs"),
        ("opencode", json.dumps({"tool": "bash", "input": {"command": "make"}}), "command"),
        ("pi", json.dumps({"tool": "bash", "input": {"command": "make"}}), "command"),
    ],
)
def test_each_host_gets_an_answer_of_its_form(run: Run, wrap: Path, host: str, stdin: str, key: str) -> None:
    own = wrap.parent.with_name(host) / "wrap.sh"
    own.parent.mkdir()
    own.write_text("")
    answer = json.loads(run("hook", host, stdin=stdin).out)
    assert list(answer) == [key]
    assert f"{host}/wrap.sh; make" in json.dumps(answer)


@pytest.mark.slow
def test_a_long_result_of_a_server_becomes_a_map(run: Run) -> None:
    rows = "".join(f"row {number} of a long table\n" for number in range(6_000))
    blocks = [{"type": "text", "text": rows}]
    done = run("hook", "claude-code", stdin=event("PostToolUse", tool_name="mcp__db__query", tool_response=blocks))
    (block,) = json.loads(done.out)["hookSpecificOutput"]["updatedToolOutput"]
    assert "a map, not the content" in block["text"]
    small = [{"type": "text", "text": "few words"}]
    assert run("hook", "claude-code", stdin=event("PostToolUse", tool_name="mcp__db__query", tool_response=small)).out == b""
    assert run("hook", "claude-code", stdin=event("PostToolUse", tool_name="Read", tool_response=blocks)).out == b""
    found = {"mode": "content", "content": "".join(f"a.py:{number}:row of a table\n" for number in range(6_000))}
    done = run("hook", "claude-code", stdin=event("PostToolUse", tool_name="Grep", tool_response=found))
    output = json.loads(done.out)["hookSpecificOutput"]["updatedToolOutput"]
    assert output["mode"] == "content"
    assert "a map, not the content" in output["content"]


def test_a_prompt_takes_the_note_of_a_window_that_is_nearly_full(run: Run, transcript: Path) -> None:
    usage = {"input_tokens": 150_000, "output_tokens": 10}
    answer = {"role": "assistant", "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": "Done."}], "usage": usage}
    row = {"type": "assistant", "message": answer, "uuid": "last", "parentUuid": "u5", "sessionId": SESSION}
    asked = event("UserPromptSubmit", transcript_path=str(transcript), prompt="Go on.")
    assert run("hook", "claude-code", stdin=asked).out == b""
    with transcript.open("a") as file:
        file.write(json.dumps(row) + "\n")
    for host in ("claude-code", "codex", "gemini"):
        name = "BeforeAgent" if host == "gemini" else "UserPromptSubmit"
        done = run("hook", host, stdin=event(name, transcript_path=str(transcript), prompt="Go on."))
        answer = json.loads(done.out)["hookSpecificOutput"]
        assert answer["additionalContext"].startswith("[Context: 93% used.")
        assert answer.get("hookEventName") in (name, None)
