"""The output of commands that never_store names is stored by no command that stores conversations."""

import json
import os
from pathlib import Path

import pytest

from ctxkit.core.compact.trigger import PLACEHOLDER
from tests.conftest import Run

SECRET = "hunter2-correct-horse"
SMALL = ("--window", "1200", "--tokenizer", "bytes/3", "--keep-recent", "300")
LEFT_OUT = PLACEHOLDER.encode()


def call(command: str, number: int, output: str) -> list[dict[str, object]]:
    function = {"name": "bash", "arguments": json.dumps({"command": command})}
    calls = [{"id": f"c{number}", "type": "function", "function": function}]
    answer: dict[str, object] = {"role": "tool", "tool_call_id": f"c{number}", "content": output}
    return [{"role": "assistant", "content": None, "tool_calls": calls}, answer]


def chat(tmp_path: Path, *commands: str, text: str = f"{SECRET} failed: error\n") -> str:
    messages: list[dict[str, object]] = [{"role": "user", "content": "Please fix the build of src/main.py."}]
    for number, command in enumerate(commands):
        messages += call(command, number, text * 90 if command.startswith("pass") else "error: a.py is broken\n" * 90)
    messages.append({"role": "assistant", "content": "It is done."})
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(messages))
    return str(path)


@pytest.fixture(autouse=True)
def settings(home: dict[str, str]) -> Path:
    path = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('never_store = ["pass"]\n')
    return path


def holders(*directories: str) -> list[str]:
    """Return the files below some directories that contain the secret."""
    paths = (Path(folder, name) for top in directories for folder, _, names in os.walk(top) for name in names)
    return [str(path) for path in paths if SECRET.encode() in path.read_bytes()]


def stored(home: dict[str, str], tmp_path: Path) -> list[str]:
    kept = [home["XDG_CACHE_HOME"], home["XDG_DATA_HOME"]]
    return [path for path in holders(*kept, str(tmp_path)) if not path.endswith(("chat.json", "short.json"))]


def test_compact_stores_and_quotes_none_of_it(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    path = chat(tmp_path, "make", "pass show db", "make", "make test")
    files = ["--manifest", str(tmp_path / "m.json"), "--context-md", str(tmp_path / "CONTEXT.md")]
    assert run("session", "new", "s", "--window", "3000").status == 0
    done = run("compact", path, *SMALL, "--force", *files, "--session", "s")
    assert done.status == 0, done.err
    assert SECRET.encode() not in done.out
    assert "output of commands that never_store names is neither stored nor summarized" in done.err
    assert stored(home, tmp_path) == []
    restored = run("compact", "--restore", str(tmp_path / "m.json"))
    assert LEFT_OUT in restored.out
    assert restored.out.count(b"a.py is broken") == 270
    assert "output of commands that never_store names was not stored: placeholders replace it" in restored.err


def test_compact_keeps_it_in_messages_that_stay(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    path = chat(tmp_path, "make", "make test", "make all", "pass show db", text=f"{SECRET}\n")
    assert run("session", "new", "s", "--window", "6000").status == 0
    options = ("--window", "6000", "--tokenizer", "bytes/3", "--keep-last", "3", "--force", "--session", "s")
    done = run("compact", path, *options)
    assert done.status == 0, done.err
    assert json.loads(done.out)[-2]["content"] == f"{SECRET}\n" * 90
    assert stored(home, tmp_path) == []
    assert LEFT_OUT in run("snapshot", "load", "s").out


def test_a_conversation_that_is_not_due_passes(run: Run, tmp_path: Path) -> None:
    path = chat(tmp_path, "pass show db")
    done = run("compact", path, "--window", "90000", "--tokenizer", "bytes/3")
    assert done.out == Path(path).read_bytes()


def test_output_that_is_too_large_alone_gives_way(run: Run, tmp_path: Path) -> None:
    path = chat(tmp_path, "pass show db")
    done = run("compact", path, "--window", "1000", "--tokenizer", "bytes/3")
    assert done.status == 0, done.err
    assert SECRET.encode() not in done.out
    assert LEFT_OUT in done.out


def test_a_snapshot_has_none_of_it(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    path = chat(tmp_path, "make", "pass show db")
    assert run("session", "new", "s", "--window", "3000").status == 0
    assert run("snapshot", "save", "s", path).status == 0
    assert stored(home, tmp_path) == []
    assert LEFT_OUT in run("snapshot", "load", "s").out


def test_an_edit_stores_none_of_it_and_says_so(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    path = chat(tmp_path, "make", "pass show db", "make")
    assert run("session", "new", "s", "--window", "30000").status == 0
    done = run("edit", "remove", "2:5", path, "--session", "s")
    assert done.status == 0, done.err
    short = tmp_path / "short.json"
    short.write_bytes(done.out)
    assert stored(home, tmp_path) == []
    restored = run("edit", "restore", str(short))
    assert restored.out.replace(LEFT_OUT, json.dumps(f"{SECRET} failed: error\n" * 90)[1:-1].encode()) == Path(path).read_bytes()
    assert "placeholders replace it" in restored.err


def test_an_edit_of_other_messages_leaves_it_where_it_is(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    path = chat(tmp_path, "make", "pass show db", "make")
    done = run("edit", "remove", "6:7", path)
    assert SECRET.encode() in done.out
    short = tmp_path / "short.json"
    short.write_bytes(done.out)
    assert stored(home, tmp_path) == []
    assert run("edit", "restore", str(short)).out == Path(path).read_bytes()


def test_the_page_of_a_hook_has_none_of_it(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cd x && pass show db"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": f"error: {SECRET} is expired"}
    messages = [
        {"role": "user", "content": "Never push."},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
    ]
    rows = [
        {"type": message["role"], "message": message, "uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None, "sessionId": "s"}
        for at, message in enumerate(messages)
    ]
    path = tmp_path / "chat.json"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    event = {"hook_event_name": "PreCompact", "session_id": "s-1", "transcript_path": str(path)}
    assert run("hook", "claude-code", stdin=json.dumps(event)).err == ""
    (page,) = Path(home["XDG_DATA_HOME"]).rglob("s-1.md")
    assert "Never push." in page.read_text()
    assert stored(home, tmp_path) == []
