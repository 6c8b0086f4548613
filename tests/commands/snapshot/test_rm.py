"""Snapshots go by name, or with their session."""

import pytest

from tests.commands.snapshot.talk import SHORT
from tests.conftest import Run


@pytest.mark.slow
def test_a_session_takes_its_snapshot_along(run: Run, home: dict[str, str]) -> None:
    run("snapshot", "save", "s", stdin=SHORT)
    run("session", "rm", "s")
    assert run("snapshot", "list").out == b""
    for verb in ("load", "resume", "rm"):
        assert run("snapshot", verb, "s").status == 1
    done = run("snapshot", "save", "s", stdin=SHORT)
    assert (done.status, done.err.splitlines()[0]) == (1, "ctxkit: no session s")


def test_either_all_snapshots_go_or_none(run: Run) -> None:
    run("snapshot", "save", "s", stdin=SHORT)
    assert run("snapshot", "rm", "s", "t").status == 1
    assert run("snapshot", "load", "s").out == SHORT
    assert run("snapshot", "rm", "s").status == 0
    assert run("snapshot", "load", "s").status == 1
    assert run("session", "status", "s").status == 0
