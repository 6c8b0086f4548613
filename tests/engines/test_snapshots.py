"""Snapshots in SQLite hold the content that they mention; test_redis_snapshots has what every store of them does."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ctxkit.core.session.history import KEPT_SNAPSHOTS, HistoryExtent, Snapshot
from ctxkit.engines.catalog import References
from ctxkit.engines.snapshots import SQLiteSnapshots

REF, OTHER = "3f9a2c81d0b4", "0123456789ab"
SNAPSHOT = Snapshot("s", b'{"role":"user","content":"\xff"}\n', "openai", 1, 12, "exact", HistoryExtent(3, 70))


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def snapshots(tmp_path: Path, said) -> SQLiteSnapshots:
    return SQLiteSnapshots(str(tmp_path / "data"), said.append)


@pytest.fixture
def references(tmp_path: Path, said) -> References:
    return References(str(tmp_path / "data"), said.append)


def test_asking_makes_nothing(snapshots, references, tmp_path: Path) -> None:
    assert snapshots.find("s") is None
    assert snapshots.all() == []
    assert not snapshots.remove("s")
    assert references.list_held() == set()
    assert list(tmp_path.iterdir()) == []


def test_what_a_snapshot_mentions_is_held_as_long_as_it_is_there(snapshots, references) -> None:
    snapshots.save(SNAPSHOT._replace(content=f"ctxkit cache get {REF} and {OTHER * 5}0123".encode()))
    assert references.list_held() == {REF, OTHER}
    snapshots.save(SNAPSHOT._replace(content=f"ctxkit cache get {REF}".encode()))
    snapshots.save(SNAPSHOT._replace(session="t", content=REF.encode()))
    assert references.list_held() == {REF, OTHER}
    for number in range(KEPT_SNAPSHOTS - 1):
        snapshots.save(SNAPSHOT._replace(content=b"%d %s" % (number, REF.encode())))
    assert references.list_held() == {REF}
    snapshots.remove("s")
    assert references.list_held() == {REF}
    snapshots.remove("t")
    assert references.list_held() == set()


def test_what_a_file_holds_is_held_as_long_as_it_is_there(references, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.json"
    manifest.write_text("")
    references.hold(str(manifest), [REF + 52 * "0"])
    references.hold(str(manifest), [OTHER])
    references.hold(str(tmp_path / "never there"), ["ffffffffffff"])
    assert references.list_held() == {REF, OTHER}
    manifest.unlink()
    assert references.list_held() == set()
    manifest.write_text("")
    assert references.list_held() == set()


def test_a_database_of_an_earlier_version_is_brought_up_to_date(snapshots, tmp_path: Path, said) -> None:
    snapshots.save(SNAPSHOT)
    snapshots.close()
    path = tmp_path / "data" / "ctxkit.db"
    with closing(sqlite3.connect(path)) as db:
        later = "DROP TABLE mark; DROP TABLE directory; DROP TABLE tool_use; ALTER TABLE session DROP COLUMN edits; ALTER TABLE session DROP COLUMN due; ALTER TABLE session DROP COLUMN cold_from"
        later += "; DROP TABLE change; DROP TABLE project; DROP TABLE earlier_snapshot; ALTER TABLE item DROP COLUMN agent"
        db.executescript(f"DROP TABLE snapshot; DROP TABLE reference; {later}; PRAGMA user_version = 2")
    assert snapshots.find("s") is None
    snapshots.save(SNAPSHOT)
    assert snapshots.find("s").tokens == 12
    assert said == []
