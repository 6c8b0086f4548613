"""Facts that the snapshots of a directory repeat are proposed for its memory."""

import json

import pytest

from tests.commands.snapshot.talk import SHORT, SIZED

PAGE = "[ctxkit summary] Earlier.\n\n# Context\n\n## Decisions\n- Keep the parser apart.\n\n## Facts\n- Only here: %s.\n"


def talk(name: str) -> bytes:
    messages = ({"role": "system", "content": PAGE % name}, {"role": "user", "content": "go on"})
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


@pytest.mark.slow
def test_a_repeated_decision_is_a_patch_and_written_only_if_asked(run, tmp_path):
    here = tmp_path / "project"
    here.mkdir()
    for name in ("p", "q"):
        assert run("session", "new", name, *SIZED, cwd=here).status == 0
        assert run("snapshot", "save", name, stdin=talk(name)).status == 0
    patch = run("snapshot", "promote", cwd=here)
    assert patch.status == 0
    assert patch.out.decode().endswith("+# Memory\n+\n+- Keep the parser apart.\n")
    assert not (here / "MEMORY.md").exists()
    proposed = json.loads(run("snapshot", "promote", "--json", cwd=here).out)
    assert proposed["proposals"] == [
        {"text": "Keep the parser apart.", "section": "Decisions", "sessions": ["q", "p"], "original": None}
    ]
    worded = json.loads(run("snapshot", "promote", "--json", "--summarizer", "cmd:echo '1. Keep parser apart.'", cwd=here).out)
    assert (worded["proposals"][0]["text"], worded["proposals"][0]["original"]) == ("Keep parser apart.", "Keep the parser apart.")
    refused = run("snapshot", "promote", "--json", "--summarizer", "cmd:echo '1. Never keep the parser apart.'", cwd=here)
    assert json.loads(refused.out) == proposed
    failed = run("snapshot", "promote", "--json", "--summarizer", "cmd:false", cwd=here)
    assert (json.loads(failed.out), "the lines stay as they are" in failed.err) == (proposed, True)
    assert run("snapshot", "promote", "--summarizer", "magic", cwd=here).status == 2
    written = run("snapshot", "promote", "--write", cwd=here)
    assert (written.status, "1 line appended to MEMORY.md" in written.err) == (0, True)
    assert (here / "MEMORY.md").read_text() == "# Memory\n\n- Keep the parser apart.\n"
    assert run("snapshot", "promote", cwd=here).out == b""


def test_sessions_of_other_directories_propose_nothing(run, tmp_path):
    assert run("snapshot", "save", "s", stdin=SHORT).status == 0
    ran = run("snapshot", "promote", str(tmp_path))
    assert (ran.out, "Nothing to propose: 0 sessions with a summary." in ran.err) == (b"", True)
    assert run("snapshot", "promote", str(tmp_path / "absent")).status == 66
