import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.snapshot import KEPT_SNAPSHOTS, Snapshot
from ctxkit.engines.references import References
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


def test_a_snapshot_is_found_as_it_was_saved(snapshots) -> None:
    saved = snapshots.save(SNAPSHOT)
    assert abs(saved.created - time.time()) < 60
    assert saved == SNAPSHOT._replace(created=saved.created)
    assert snapshots.find("s") == saved
    assert snapshots.find("t") is None


def test_the_newest_takes_the_place_of_the_last(snapshots) -> None:
    snapshots.save(SNAPSHOT)
    snapshots.save(SNAPSHOT._replace(session="t", tokens=7))
    snapshots.save(SNAPSHOT._replace(content=b"", tokens=5))
    assert snapshots.find("s").tokens == 5
    assert [(one.session, one.tokens, one.content) for one in snapshots.all()] == [("t", 7, b""), ("s", 5, b"")]
    assert snapshots.remove("s")
    assert snapshots.find("s") is None
    assert [one.session for one in snapshots.all()] == ["t"]


def test_a_large_one_is_fine(snapshots) -> None:
    content = b"x" * (48 << 20)
    snapshots.save(SNAPSHOT._replace(content=content))
    assert snapshots.find("s").content == content


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
        later = "DROP TABLE mark; DROP TABLE directory; DROP TABLE tool_use; ALTER TABLE session DROP COLUMN edits; ALTER TABLE session DROP COLUMN due"
        later += "; DROP TABLE change; DROP TABLE earlier_snapshot; ALTER TABLE item DROP COLUMN agent"
        db.executescript(f"DROP TABLE snapshot; DROP TABLE reference; {later}; PRAGMA user_version = 2")
    assert snapshots.find("s") is None
    snapshots.save(SNAPSHOT)
    assert snapshots.find("s").tokens == 12
    assert said == []


def test_the_last_ones_stay_with_their_numbers(snapshots) -> None:
    for number in range(KEPT_SNAPSHOTS + 2):
        snapshots.save(SNAPSHOT._replace(content=b"%d" % number))
    snapshots.save(SNAPSHOT._replace(content=b"11"))
    names = [row.name for row in snapshots.earlier("s")]
    assert names == [f"s@{number}" for number in range(2, KEPT_SNAPSHOTS + 1)]
    assert [snapshots.find("s", number).content for number in (1, 2, 10)] == [b"11", b"10", b"2"]
    assert snapshots.find("s", 11) is None
    assert snapshots.remove("s")
    assert snapshots.earlier("s") == []


def test_large_ones_leave_first(snapshots, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxkit.engines.snapshots.MAX_EARLIER_BYTES", 10)
    for content in (b"one", b"two", b"eight by", b"four"):
        snapshots.save(SNAPSHOT._replace(content=content))
    assert [row.messages for row in snapshots.earlier("s")] == [1]
    assert snapshots.find("s", 2).content == b"eight by"
