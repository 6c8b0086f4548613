"""ctxkit events --quality: which maps were not enough."""

import json
import re
from pathlib import Path

import pytest

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
    for part in (("--lines", "3:4"), ("--grep", "499"), ("--focus", "77"), ("--bytes", "1:9"), ("--json-path", "."), ()):
        run("cache", "get", ref, *part, env=env)
    events = [json.loads(line) for line in log.read_text().splitlines()]
    hashes = [event["command_hash"] for event in events[:4]]
    assert (hashes[0] == hashes[1], hashes[2] == hashes[3], hashes[1] == hashes[2]) == (True, True, False)
    assert [event["part"] for event in events[4:9]] == ["lines", "grep", "focus", "bytes", "json_path"]
    value = json.loads(run("events", log, "--quality", "--json").out)
    assert {row["key"]: (row["maps"], row["enough"], row["rerun"], row["read_often"]) for row in value["programs"]} == {
        "seq": (4, 1, 2, 1)
    }
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
