"""Snapshots are listed from the newest."""

from tests.commands.snapshot.talk import SHORT, SIZED
from tests.conftest import Run


def test_listing_is_from_the_newest(run: Run) -> None:
    run("session", "new", "t", *SIZED)
    for name in "ts":
        run("snapshot", "save", name, stdin=SHORT)
    assert [row.split()[0] for row in run("snapshot", "list").out.decode().splitlines()] == ["s", "t"]
