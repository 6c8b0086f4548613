"""Snapshots and files are compared."""

import json

from tests.commands.snapshot.talk import ONE, SHORT
from tests.conftest import Run

LONG = SHORT + ONE


def test_snapshots_are_compared_with_each_other_and_with_files(run: Run, tmp_path) -> None:
    (tmp_path / "short.json").write_bytes(SHORT)
    run("snapshot", "save", "s", stdin=SHORT)
    run("snapshot", "save", "s", stdin=LONG)
    done = run("snapshot", "diff", "s")
    assert done.status == 1
    assert done.out.startswith(b"--- s@2\n+++ s\n@@ +2 user added @@\n+")
    assert run("snapshot", "diff", "s@2").out == done.out
    equal = run("snapshot", "diff", "s@2", str(tmp_path / "short.json"))
    assert (equal.status, equal.out) == (0, b"")
    report = json.loads(run("snapshot", "diff", "s", "s@2", "--json").out)
    assert (report["from"], report["to"], report["kept"]) == ("s", "s@2", 1)
    assert [(row["change"], row["before"], row["after"]) for row in report["changes"]] == [("removed", 2, None)]


def test_what_does_not_exist_is_named(run: Run, tmp_path) -> None:
    run("snapshot", "save", "s", stdin=SHORT)
    missing = run("snapshot", "diff", "s")
    assert missing.status == 66
    assert missing.err.startswith("ctxkit: s@2: neither a snapshot nor a file")
    assert run("snapshot", "diff", "s@0", "s").status == 66
    (tmp_path / "chat").write_bytes(SHORT)
    assert run("snapshot", "diff", "chat", cwd=tmp_path).status == 2
