"""ctxkit events --from-transcripts: what would have been kept out of past sessions."""

import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ctxkit.app.hosts.transcript_replay import (
    find_limits,
    list_session_files,
    name_program,
    replay_file,
    replay_transcripts,
)
from ctxkit.core.errors import MissingInputError
from ctxkit.core.events.replay import ReplayLimits
from ctxkit.core.summary.tool_call import ToolCall
from tests.conftest import Run


def write_session(path: Path, *outputs: tuple[str, str]) -> Path:
    """Write a session of OpenAI's format, with a call of bash for each command and output."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Test it."}]
    for number, (command, output) in enumerate(outputs):
        function = {"name": "bash", "arguments": json.dumps({"command": command})}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": output})
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(message)}\n" for message in messages))
    return path


LONG = "".join(f"line {number} of the log\n" for number in range(9000))
SHORT = "ok " * 300


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    write_session(tmp_path / "s" / "a.jsonl", ("cd x && make test", LONG), ("ls -l", SHORT), ("ls -l", SHORT))
    write_session(tmp_path / "s" / "b" / "c.jsonl", ("FOO=1 /usr/bin/make", LONG))
    (tmp_path / "s" / "package.json").write_text('{"name": "x"}')
    (tmp_path / "s" / "notes.txt").write_text("not read")
    os.symlink(tmp_path / "s" / "a.jsonl", tmp_path / "s" / "link.jsonl")
    return tmp_path / "s"


def test_past_sessions_are_added_up_by_program(run: Run, sessions: Path) -> None:
    done = run("events", "--from-transcripts", sessions, "--json")
    assert (done.status, done.err) == (0, "ctxkit: 2 sessions, 1 other file\n")
    value = json.loads(done.out)
    assert (value["sessions"], value["skipped"], value["read_rate_source"]) == (2, 1, "assumed")
    make, ls = value["groups"]
    assert (make["program"], make["results"], ls["program"], ls["results"]) == ("make", 2, "ls", 2)
    assert make["gate"] == make["entered"] - 5_000
    assert make["reads"] == round(make["gate"] * 0.2)
    assert 0 < ls["repeated"] < ls["entered"] / 2
    assert value["net"] == make["net"] + ls["net"]


def test_reads_are_those_of_the_users_events(run: Run, sessions: Path, tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    row = {"v": 1, "ts": "2026-11-01T00:00:00Z", "event": "tool_output_truncated", "verb": "gate", "result": "briefing", "method": "exact"}
    rows = [{**row, "name": f"n{n}", "ref": f"r{n}", "before_tokens": 1100, "after_tokens": 100, "session": "s"} for n in range(20)]
    rows.append({**row, "event": "cache_get", "result": "", "after_tokens": 1000, "before_tokens": 0, "session": "s"})
    events.write_text("".join(f"{json.dumps(value)}\n" for value in rows))
    done = run("events", "--from-transcripts", sessions, "--json", env={"CTXKIT_EVENTS": str(events)})
    value = json.loads(done.out)
    assert (value["read_rate"], value["read_rate_source"]) == (0.05, "events")


def test_the_table_and_the_plot(run: Run, sessions: Path, tmp_path: Path) -> None:
    done = run("events", "--from-transcripts", sessions, "--plot", tmp_path / "plot.svg")
    assert done.status == 0
    assert done.out.decode().splitlines()[1].startswith("make ")
    ElementTree.parse(tmp_path / "plot.svg")


def test_the_sessions_of_known_hosts_are_read_without_a_name(run: Run, home: dict[str, str]) -> None:
    nothing = run("events", "--from-transcripts")
    assert (nothing.status, nothing.out) == (66, b"")
    write_session(Path(home["HOME"], ".claude", "projects", "-x", "a.jsonl"), ("ls", SHORT))
    write_session(Path(home["HOME"], "codex", "sessions", "2026", "b.jsonl"), ("ls", SHORT))
    done = run("events", "--from-transcripts", env={"CODEX_HOME": str(Path(home["HOME"], "codex"))})
    assert done.err == "ctxkit: 2 sessions\n"


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["package.json"], 1, "0 sessions, 1 other file"),
        (["missing"], 66, "no such file"),
        ([".", "--by", "day"], 2, "cannot be combined"),
        ([".", "--follow"], 2, "cannot be combined"),
        ([".", "--since", "7d"], 2, "cannot be combined"),
    ],
)
def test_statuses_are_honest(run: Run, sessions: Path, args: list[str], status: int, message: str) -> None:
    done = run("events", "--from-transcripts", *args, cwd=sessions)
    assert (done.status, done.out) == (status, b"")
    assert message in done.err


def test_files_are_listed_without_links(sessions: Path) -> None:
    assert [os.path.relpath(path, sessions) for path in list_session_files(str(sessions))] == ["a.jsonl", "package.json", "b/c.jsonl"]
    with pytest.raises(MissingInputError):
        list(list_session_files(str(sessions / "none")))


def test_a_session_is_counted_and_other_files_are_skipped(sessions: Path, under: Any) -> None:
    assert [row[:3] for row in replay_file(str(sessions / "a.jsonl"), len)] == [("make", 1, len(LONG)), ("ls", 2, 2 * len(SHORT))]
    replay = replay_transcripts(str(sessions), under())
    assert (replay.sessions, replay.skipped, replay.exact) == (2, 1, False)


def test_limits_are_those_of_the_host() -> None:
    assert find_limits("codex") == ReplayLimits(160_000, 2_500, 2_500)
    assert find_limits("swe-agent").output_limit == 2_500
    assert find_limits("openai") == find_limits("claude-code") == ReplayLimits(160_000, 7_500, 2_500)


@pytest.mark.parametrize(
    ("name", "arguments", "program"),
    [
        ("Bash", {"command": "cd /a && npm test"}, ("npm", True)),
        ("Bash", {"command": "cd /a"}, ("cd", True)),
        ("Bash", {"command": ""}, ("Bash", True)),
        ("Read", {"file_path": "/a"}, ("Read", False)),
        ("mcp__x__y", {"query": "a"}, ("mcp__x__y", False)),
        ("execute_ipython_cell", {"code": "import os"}, ("execute_ipython_cell", True)),
    ],
)
def test_a_result_is_named_for_its_program(name: str, arguments: dict[str, Any], program: tuple[str, bool]) -> None:
    assert name_program(ToolCall(0, name, arguments)) == program
