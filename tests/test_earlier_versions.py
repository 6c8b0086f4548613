"""A home that an earlier version wrote (homes/VERSION.tar.xz) is read, searched, resumed and collected by this one.

0.1.0.tar.xz was written by commit 7881f320: `gate` of 2,000 lines and `cache put` of zebra.txt, `run` of a command that
fails, sessions s1 and s2, a history of five messages, a snapshot of each session, a compaction, a search, `hook codex`
of a compaction, and a config.toml. Compiled vocabularies and the setups of hosts (edge/setups) are left out.
"""

import json
import os
import tarfile
import time
from pathlib import Path

import pytest

from tests.conftest import Run

HOMES = Path(__file__).with_name("homes")
REFS = {
    "da22ce39f9cf": "deploy-log",
    "9a1a2982665a": "zebra.txt",
    "1e29d04c2875": "sh -c 'seq -f \"test %g failed\" 900; exit 3'",
    "7bd29a43dc99": "conversation chat.json",
}


@pytest.fixture(params=sorted(HOMES.glob("*.tar.xz")), ids=lambda path: path.name.removesuffix(".tar.xz"))
def old_home(request: pytest.FixtureRequest, home: dict[str, str]) -> Path:
    """Unpack the home, in which the standard directories are below it."""
    with tarfile.open(request.param) as archive:
        archive.extractall(home["HOME"], filter="data")
    folders = {"CACHE": ".cache", "DATA": ".local/share", "CONFIG": ".config"}
    for name, folder in folders.items():
        home[f"XDG_{name}_HOME"] = f"{home['HOME']}/{folder}"
    return Path(home["HOME"])


def read_json(run: Run, *words: str, stdin: bytes = b"") -> object:
    done = run(*words, "--json", stdin=stdin)
    assert (done.status, done.err) == (0, "")
    rows = [json.loads(line) for line in done.out.splitlines()]
    return rows[0] if len(rows) == 1 else rows


def test_content_is_listed_read_and_searched(run: Run, old_home: Path) -> None:
    listing = run("cache", "list")
    assert (listing.status, listing.err) == (0, "")
    rows = listing.out.decode().splitlines()
    assert len(rows) == len(REFS)
    for ref, name in REFS.items():
        assert any(row.startswith(ref) and row.endswith(name) for row in rows), ref
    whole = run("cache", "get", "da22ce39f9cf")
    assert (whole.status, whole.out.splitlines()[1233:1235]) == (0, [b"line 1234 of the deploy log", b"line 1235 of the deploy log"])
    part = run("cache", "get", "da22ce39f9cf", "--lines", "1234:1234")
    assert (part.status, part.out) == (0, b"line 1234 of the deploy log\n")
    assert run("cache", "verify").status == 0
    search = run("cache", "search", "zebra")
    assert (search.status, b"the zebra crossed at midnight" in search.out, search.err) == (0, True, "")


def test_new_content_stands_beside_it(run: Run, old_home: Path) -> None:
    done = run("cache", "put", "--name", "new.txt", stdin=b"a zebra of today\n")
    assert (done.status, done.err) == (0, "")
    rows = run("cache", "list").out.decode().splitlines()
    assert len(rows) == len(REFS) + 1
    found = run("cache", "search", "zebra").out
    assert b"of today" in found
    assert b"at midnight" in found


def test_sessions_go_on(run: Run, old_home: Path) -> None:
    listing = run("session", "list")
    assert [row.split()[:1] for row in listing.out.decode().splitlines()] == [["s2"], ["s1"]]
    before = read_json(run, "session", "status", "s1")
    assert isinstance(before, dict)
    assert (before["window"], before["used"]) == (32_768, 21_426)
    history = run("session", "history", "s1").out.splitlines()
    assert len(history) == 5
    assert json.loads(history[0])["content"].startswith("Step 0 of src/parser.py: the owl counts 0.")
    message = b'{"role": "user", "content": "Go on."}'
    assert run("session", "append", "s1", stdin=message).status == 0
    after = read_json(run, "session", "status", "s1")
    assert isinstance(after, dict)
    assert before["used"] < after["used"] < before["used"] + 20
    deploy_log = run("cache", "get", "da22ce39f9cf").out
    mapped = run("gate", "--session", "s1", "--name", "deploy-log", stdin=deploy_log)
    assert mapped.out.startswith(b"# deploy-log (2,000 lines")


def test_snapshots_are_resumed_and_replaced(run: Run, old_home: Path) -> None:
    listing = run("snapshot", "list").out.decode().splitlines()
    assert [row.split()[0] for row in listing] == ["s2", "s1"]
    snapshot = json.loads(run("snapshot", "load", "s1").out)
    assert [message["role"] for message in snapshot["messages"]] == ["user", "assistant"] * 12
    resumed = run("snapshot", "resume", "s2")
    assert resumed.status == 0
    assert resumed.out
    again = run("snapshot", "save", "s1", stdin=json.dumps({"messages": snapshot["messages"][:4]}).encode())
    assert again.status == 0, again.err
    assert len(json.loads(run("snapshot", "load", "s1").out)["messages"]) == 4


def test_settings_hold(run: Run, old_home: Path, tmp_path: Path) -> None:
    done = run("doctor", "--json")
    checks = {check["name"]: check["value"] for check in json.loads(done.out)["checks"]}
    file = old_home / ".config/ctxkit/config.toml"
    assert checks["model"] == f"qwen3-30b  ({file}:1)"
    assert checks["never_store"] == f"['env *']  ({file}:4)"
    assert checks["models.my-qwen.window"] == f"40960  ({file}:8)"
    assert "wrong" not in checks
    run("run", "--", "env", "A=b", "printf", "secret-%s" * 900, cwd=tmp_path)
    assert len(run("cache", "list").out.splitlines()) == len(REFS)


@pytest.mark.slow
def test_all_of_it_is_collected(run: Run, old_home: Path) -> None:
    """What an active session or a snapshot names stays; after their removal, nothing does."""
    blobs = old_home / ".cache/ctxkit/blobs"
    for path in blobs.glob("*/*"):
        os.utime(path, (time.time() - 40 * 86_400,) * 2)
    assert run("cache", "gc").status == 0
    for name in ("s1", "s2"):
        assert run("session", "rm", name).status == 0
    assert run("snapshot", "list").out == b""
    assert run("cache", "gc", "--max-age", "0s").status == 0
    assert list(blobs.glob("*/*")) == []
    assert run("cache", "list").out == b""
    assert run("cache", "search", "zebra").out == b""
