"""ctxkit events --quality: which maps were not enough."""

import json
import re
from pathlib import Path

import pytest

from ctxkit.core.events.quality import WAYS
from tests.conftest import Run

SIZED = ("--window", "2000", "--tokenizer", "bytes/3")


def test_what_a_session_did_after_a_map_is_counted(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log"
    env = {"CTXKIT_EVENTS": str(log), "SHELL": "/bin/bash"}
    run("run", *SIZED, "--", "seq", "4000", env=env)
    run("run", *SIZED, "--", "seq", "4000", env=env)
    run("shell", *SIZED, "-c", "seq 5000 # focus: 17", env=env)
    shown = run("shell", *SIZED, "-c", "seq 5000 # focus: 4999", env=env)
    ref = re.findall(r"cache get (\w+)", shown.out.decode())[-1]
    for part in (("--lines", "2500:2501"), ("--grep", "499"), ("--focus", "77"), ("--bytes", "1:9"), ("--json-path", "."), ()):
        run("cache", "get", ref, *part, env=env)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    hashes = [event["command_hash"] for event in events[:4]]
    assert (hashes[0] == hashes[1], hashes[2] == hashes[3], hashes[1] == hashes[2]) == (True, True, False)
    assert [event["part"] for event in events[4:9]] == ["lines", "grep", "focus", "bytes", "json_path"]
    assert (events[4]["span"], events[3]["quoted"][0]) == ([2500, 2501], [1, 1])
    value = json.loads(run("events", log, "--quality", "--json").out)
    assert {row["key"]: (row["maps"], row["enough"], row["rerun"], row["read_often"]) for row in value["programs"]} == {
        "seq": (4, 1, 2, 1)
    }
    assert {way: value["programs"][0][way] for way in WAYS} == {"quoted": 0, "named": 0, "unnamed": 1, "grep": 1, "focus": 1, "other": 2}
    assert value["worst"][-1]["ref"] == ref[:16]
    assert "focus: 4999" not in log.read_text()
    text = run("events", log, "--quality").out.decode()
    assert text.startswith("kind")
    assert "least enough\n" in text


@pytest.mark.parametrize("option", ["--follow", "--csv", "--cost", "--from-transcripts"])
def test_options_without_a_meaning_are_refused(run: Run, tmp_path: Path, option: str) -> None:
    (tmp_path / "log").write_text("")
    assert run("events", "log", "--quality", option, cwd=tmp_path).status == 2


def test_without_maps_there_is_a_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("no event\n")
    done = run("events", "log", "--quality", cwd=tmp_path)
    assert (done.status, done.out) == (0, b"")
    assert "no event is about a map" in done.err


def test_programs_whose_commands_run_again_are_suggested_for_exclude(run: Run, tmp_path: Path) -> None:
    log, env = tmp_path / "log", {"CTXKIT_EVENTS": str(tmp_path / "log")}
    for _ in range(4):
        run("run", *SIZED, "--", "seq", "4000", env=env)
    none = run("events", log, "--suggest")
    assert (none.status, none.out, none.err) == (0, b"", "ctxkit: no setting is suggested\n")
    for _ in range(2):
        run("run", *SIZED, "--", "seq", "4000", env=env)
    assert b'\n+exclude = ["seq"]\n' in run("events", log, "--suggest").out
    assert run("events", log, "--suggest", "--json").status == 2
    assert run("events", log, "--suggest", "--by", "day").status == 2


@pytest.mark.parametrize("host", [None, "codex"])
def test_a_command_that_turns_ctxkit_off_is_known(run: Run, home: dict[str, str], tmp_path: Path, host: str | None) -> None:
    log = tmp_path / "log"
    env = {"CTXKIT_EVENTS": str(log), "SHELL": "/bin/bash"}
    run("shell", *SIZED, "-c", "seq 4000 # focus: 17", env=env)
    if host:
        assert run("init", host, "--yes").status == 0
        event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "CTXKIT_DISABLE=1 seq 4000"}}
        assert run("hook", host, stdin=json.dumps(event), env=env).out == b""
    else:
        assert run("shell", *SIZED, "-c", "CTXKIT_DISABLE=1 seq 4000", env=env).out.count(b"\n") == 4000
    last = json.loads(log.read_text().splitlines()[-1])
    assert (last["event"], last["command"]) == ("gate_disabled", "seq")
    (row,) = json.loads(run("events", log, "--quality", "--json").out)["programs"]
    assert (row["rerun"], row["disabled"]) == (1, 1)


def test_larger_maps_are_suggested_and_the_rule_makes_them(run: Run, home: dict[str, str], tmp_path: Path) -> None:
    log, env = tmp_path / "log", {"CTXKIT_EVENTS": str(tmp_path / "log")}
    for number in range(5):
        shown = run("run", "--window", "9000", "--tokenizer", "bytes/3", "--", "seq", f"{9_000 + number}", env={**env, "CTXKIT_BRIEFING_CAP": "300"})
        ref = re.findall(r"cache get (\w+)", shown.out.decode())[-1]
        run("cache", "get", ref, "--lines", "2000:2900", env=env)
    diff = run("events", log, "--suggest").out.decode()
    assert '\n+match = ["seq", "seq *"]\n+target = 3000\n' in diff
    config = Path(home["XDG_CONFIG_HOME"]) / "ctxkit" / "config.toml"
    config.parent.mkdir()
    config.write_text("".join(row[1:] for row in diff.splitlines(keepends=True) if row.startswith("+") and row[1] != "+"))
    assert b"no setting" in run("events", log, "--suggest").err.encode()
    last = json.loads(log.read_text().splitlines()[-2])
    small, large = (
        run("run", "--window", "9000", "--tokenizer", "bytes/3", "--events", log, "--", "seq", "-f", "%.0f x", "9000", env={"CTXKIT_BRIEFING_CAP": "300", **more})
        for more in ({"XDG_CONFIG_HOME": str(tmp_path)}, {})
    )
    assert last["result"] == "briefing"
    assert len(small.out) < 1_200
    assert len(small.out) <= len(large.out) < 6_000
