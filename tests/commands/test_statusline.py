"""ctxkit statusline: the line for Claude Code, and the part of a shell prompt."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.conftest import Run

INPUT = {
    "session_id": "0e9f77dc-40de",
    "model": {"id": "m", "display_name": "M\x1b[31m 4"},
    "context_window": {"context_window_size": 200_000, "current_usage": {"input_tokens": 45_000}},
}


@pytest.mark.slow
def test_the_line_says_what_maps_kept_out_of_the_session(run: Run) -> None:
    assert run("init", "claude-code", "--yes").status == 0
    env = {"CLAUDE_CODE_SESSION_ID": "0e9f77dc-40de"}
    done = run("shell", "--host", "claude-code", "-c", "seq 40000", env=env)
    ref = re.search(rb"cache get (\w+)", done.out)
    line = run("statusline", stdin=json.dumps(INPUT))
    assert re.fullmatch(r"M\\x1b\[31m 4 \| 45k of 200k \(22%\) \| ~[5-7][.\d]*k kept out \| compact in 107k\n", line.out.decode())
    part = run("cache", "get", ref[1].decode(), "--lines", "1:2000", env=env).out
    assert len(part) > 8_000
    assert b" kept out, 1 read back | " in run("statusline", stdin=json.dumps(INPUT)).out


@pytest.mark.parametrize("data", ["", "{", "[]", "{}", '{"context_window": 5}'])
def test_input_without_a_window_gives_no_line(run: Run, data: str) -> None:
    done = run("statusline", stdin=data)
    assert (done.status, done.out, done.err) == (0, b"", "")


def test_the_prompt_shows_the_session(run: Run) -> None:
    assert run("statusline", "--show-prompt") == run("statusline", "--show-prompt", env={"CTXKIT_SESSION": "nobody"})
    run("session", "new", "s", "--window", "10000", "--used", "4000")
    done = run("statusline", "--show-prompt", env={"CTXKIT_SESSION": "s"})
    assert (done.status, done.out, done.err) == (0, b"4k/8k 50%\n", "")
    run("session", "reset", "s", "--used", "7900")
    assert run("statusline", "--show-prompt", env={"CTXKIT_SESSION": "s"}).out == b"7.9k/8k 98%!\n"


def test_the_line_says_that_a_compaction_is_cheap_while_the_cache_is_cold(run: Run, tmp_path: Path) -> None:
    """Claude Code's transcript says when the last answer came, and for how long its prompt is cached."""
    path = tmp_path / "transcript.jsonl"
    context = {"context_window_size": 200_000, "current_usage": {"input_tokens": 130_000}}
    stdin = json.dumps({**INPUT, "context_window": context, "transcript_path": str(path)})
    usage = {"input_tokens": 9, "cache_creation_input_tokens": 130_000}
    for ago, advice in ((301, b"| compact is cheap now: cache cold\n"), (200, b"| compact in 22k\n")):
        at = (datetime.now(UTC) - timedelta(seconds=ago)).isoformat()
        path.write_text(json.dumps({"type": "assistant", "timestamp": at, "message": {"role": "assistant", "usage": usage}}) + "\n")
        assert run("statusline", stdin=stdin).out.endswith(advice)
    path.unlink()
    assert run("statusline", stdin=stdin).out.endswith(b"| compact in 22k\n")
