"""What a file or a snapshot refers to is held as long as it exists."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, LockedError
from ctxkit.core.session.history import KEPT_SNAPSHOTS, HistoryExtent, Snapshot
from ctxkit.core.store.label import Label
from ctxkit.engines import database
from ctxkit.engines.catalog import Catalog, References, SQLiteSnapshots, hold, release, snapshot_holder


class Said(list):
    """Collect warnings."""

    def __call__(self, message: str) -> None:
        self.append(message)


@pytest.fixture
def said() -> Said:
    return Said()


@pytest.fixture
def catalog(tmp_path: Path, said: Said) -> Catalog:
    return Catalog(str(tmp_path / "data"), said)


def test_labels_are_kept_by_their_ref_and_the_latest_wins(catalog) -> None:
    catalog.add("a" * 64, 1, 1, Label("old"))
    catalog.add("a" * 64, 1, 1, Label("new", "sh", "call_1", "s1"))
    catalog.add("b" * 64, 2, 1, Label())
    assert catalog.labels() == {"a" * 64: Label("new", "sh", "call_1", "s1"), "b" * 64: Label()}


def test_what_is_removed_is_forgotten(catalog) -> None:
    catalog.add("a" * 64, 1, 1, Label("x"))
    catalog.add("b" * 64, 1, 1, Label("y"))
    catalog.remove(["a" * 64, "c" * 64])
    assert catalog.labels() == {"b" * 64: Label("y")}


def test_without_a_database_there_are_no_labels_and_none_is_made_by_asking(catalog) -> None:
    assert catalog.labels() == {}
    catalog.remove(["a" * 64])
    assert not Path(catalog.path).exists()


def test_a_deleted_database_is_begun_anew(catalog, said) -> None:
    catalog.add("a" * 64, 1, 1, Label("x"))
    for path in Path(catalog.path).parent.iterdir():
        path.unlink()
    catalog.add("b" * 64, 1, 1, Label("y"))
    assert catalog.labels() == {"b" * 64: Label("y")}
    assert said == []


@pytest.mark.parametrize(
    "damage", [b"this is no database at all, but it is long enough" * 100, b"SQLite format 3\0" + b"\xff" * 5000]
)
def test_a_damaged_database_is_set_aside_once_with_one_warning(catalog, said, damage: bytes) -> None:
    catalog.add("a" * 64, 1, 1, Label("x"))
    catalog.close()
    for tail in ("-wal", "-shm"):
        Path(catalog.path + tail).unlink(missing_ok=True)
    Path(catalog.path).write_bytes(damage)
    assert catalog.labels() == {}
    catalog.add("b" * 64, 1, 1, Label("y"))
    assert catalog.labels() == {"b" * 64: Label("y")}
    assert len(said) == 1
    assert "set aside" in said[0]
    aside = [path for path in Path(catalog.path).parent.iterdir() if ".damaged-" in path.name]
    assert [path.read_bytes() for path in aside] == [damage]


def test_a_lock_that_another_connection_holds_ends_in_locked_after_a_bounded_wait(catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "WAIT", 0.05)
    catalog.add("a" * 64, 1, 1, Label("x"))
    with closing(sqlite3.connect(catalog.path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LockedError, match="is locked by another process"):
            catalog.add("b" * 64, 1, 1, Label())
        assert catalog.labels() == {"a" * 64: Label("x")}
    catalog.add("b" * 64, 1, 1, Label())
    assert len(catalog.labels()) == 2


def test_the_first_use_of_a_database_that_is_locked_whole_ends_in_locked(catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "WAIT", 0.05)
    Path(catalog.path).parent.mkdir()
    with closing(sqlite3.connect(catalog.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LockedError):
            catalog.add("b" * 64, 1, 1, Label())


def test_a_directory_in_the_way_is_a_failure_to_write(catalog) -> None:
    Path(catalog.path).mkdir(parents=True)
    with pytest.raises(InputOutputError, match=r"ctxkit\.db"):
        catalog.add("a" * 64, 1, 1, Label())


def test_a_table_of_another_shape_is_set_aside(catalog) -> None:
    Path(catalog.path).parent.mkdir()
    with closing(sqlite3.connect(catalog.path)) as db:
        db.execute("CREATE TABLE blob (ref TEXT)")
        db.commit()
    catalog.add("a" * 64, 1, 1, Label("a"))
    assert catalog.labels() == {"a" * 64: Label("a")}
    assert [path.name for path in Path(catalog.path).parent.glob("*.damaged-*")]


def test_the_database_is_its_owners_alone(catalog) -> None:
    catalog.add("a" * 64, 1, 1, Label())
    directory = Path(catalog.path).parent
    assert directory.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in directory.iterdir()} == {0o600}


REFS = ["a" * 64, "b" * 64]


@pytest.fixture
def references(tmp_path: Path):
    opened = References(str(tmp_path / "data"), pytest.fail)
    yield opened
    opened.close()


def test_a_file_holds_its_refs_as_long_as_it_exists(references, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text("")
    references.hold(str(path), REFS)
    references.hold(str(path), REFS[:1])
    assert references.list_held() == {ref[:12] for ref in REFS}
    path.unlink()
    assert references.list_held() == set()


def test_a_snapshot_holds_its_refs_until_it_is_released(references) -> None:
    references.hold("/", REFS[:1])
    with sqlite3.connect(references.path) as db:
        hold(db, snapshot_holder("s"), REFS[1:])
    assert references.list_held() == {ref[:12] for ref in REFS}
    with sqlite3.connect(references.path) as db:
        release(db, snapshot_holder("s"))
    assert references.list_held() == {REFS[0][:12]}
    db.close()


def test_nothing_is_held_before_there_is_a_database(tmp_path: Path) -> None:
    references = References(str(tmp_path / "none"), pytest.fail)
    assert references.list_held() == set()
    references.close()


REF, OTHER = "3f9a2c81d0b4", "0123456789ab"
SNAPSHOT = Snapshot("s", b'{"role":"user","content":"\xff"}\n', "openai", 1, 12, "exact", HistoryExtent(3, 70))


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def snapshots(tmp_path: Path, messages) -> SQLiteSnapshots:
    return SQLiteSnapshots(str(tmp_path / "data"), messages.append)


@pytest.fixture
def held_references(tmp_path: Path, messages) -> References:
    return References(str(tmp_path / "data"), messages.append)


def test_asking_makes_nothing(snapshots, held_references, tmp_path: Path) -> None:
    assert snapshots.find("s") is None
    assert snapshots.all() == []
    assert not snapshots.remove("s")
    assert held_references.list_held() == set()
    assert list(tmp_path.iterdir()) == []


def test_what_a_snapshot_mentions_is_held_as_long_as_it_is_there(snapshots, held_references) -> None:
    snapshots.save(SNAPSHOT._replace(content=f"ctxkit cache get {REF} and {OTHER * 5}0123".encode()))
    assert held_references.list_held() == {REF, OTHER}
    snapshots.save(SNAPSHOT._replace(content=f"ctxkit cache get {REF}".encode()))
    snapshots.save(SNAPSHOT._replace(session="t", content=REF.encode()))
    assert held_references.list_held() == {REF, OTHER}
    for number in range(KEPT_SNAPSHOTS - 1):
        snapshots.save(SNAPSHOT._replace(content=b"%d %s" % (number, REF.encode())))
    assert held_references.list_held() == {REF}
    snapshots.remove("s")
    assert held_references.list_held() == {REF}
    snapshots.remove("t")
    assert held_references.list_held() == set()


def test_what_a_file_holds_is_held_as_long_as_it_is_there(held_references, tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.json"
    manifest.write_text("")
    held_references.hold(str(manifest), [REF + 52 * "0"])
    held_references.hold(str(manifest), [OTHER])
    held_references.hold(str(tmp_path / "never there"), ["ffffffffffff"])
    assert held_references.list_held() == {REF, OTHER}
    manifest.unlink()
    assert held_references.list_held() == set()
    manifest.write_text("")
    assert held_references.list_held() == set()


def test_a_database_of_an_earlier_version_is_brought_up_to_date(snapshots, tmp_path: Path, messages) -> None:
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
    assert messages == []
