"""The migrations of the database: each may run once, after those before it, and never changes."""

import hashlib
import multiprocessing
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, LockedError
from ctxkit.engines import database
from ctxkit.engines.catalog import Catalog
from ctxkit.engines.database import STEPS, Database, open_database
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.system import file_locks

WORD_STEPS = ("CREATE TABLE word (text TEXT NOT NULL)", "ALTER TABLE word ADD COLUMN length INTEGER NOT NULL DEFAULT 0")
PROCESSES, WRITES, NOBODY = 16, 10, 65534


class Words(Database):
    """A database of words."""

    def __init__(self, path: Path, steps=WORD_STEPS) -> None:
        self.said: list[str] = []
        super().__init__(str(path), steps, self.said.append, "words are lost")

    def add(self, text: str) -> None:
        self.write(lambda db: db.execute("INSERT INTO word (text) VALUES (?)", (text,)))

    def all(self) -> list[str]:
        none: list[tuple[str]] = []
        return [text for (text,) in self.read(lambda db: db.execute("SELECT text FROM word").fetchall(), none)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "words.db"


@pytest.fixture
def words(path) -> Words:
    return Words(path)


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def ordinary_user(directory: str) -> Iterator[None]:
    """Give a directory to nobody and be nobody, where this is root."""
    if os.geteuid() != 0:
        yield
        return
    os.chown(directory, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def damage(path: Path, data: bytes = b"this is no database at all" * 100) -> None:
    for tail in ("-wal", "-shm"):
        path.with_name(path.name + tail).unlink(missing_ok=True)
    path.write_bytes(data)


def test_reading_makes_nothing_and_writing_makes_a_file_that_is_its_owners_alone(words, path) -> None:
    assert words.all() == []
    assert not path.parent.exists()
    words.add("one")
    assert words.all() == ["one"]
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}


def test_a_transaction_that_fails_changes_nothing(words) -> None:
    def fails(db):
        db.execute("INSERT INTO word (text) VALUES ('half')")
        raise ValueError("no")

    words.add("one")
    with pytest.raises(ValueError, match="no"):
        words.write(fails)
    assert words.all() == ["one"]
    with pytest.raises(InputOutputError, match="NOT NULL"):
        words.write(lambda db: db.execute("INSERT INTO word (text) VALUES (NULL)"))
    assert (words.all(), words.said) == (["one"], [])


def test_steps_are_done_once_and_later_ones_are_added(path) -> None:
    Words(path, WORD_STEPS[:1]).add("old")
    assert version_of(path) == 1
    newer = Words(path)
    assert newer.all() == ["old"]
    newer.write(lambda db: db.execute("UPDATE word SET length = 3"))
    assert version_of(path) == 2
    assert Words(path).read(lambda db: db.execute("SELECT length FROM word").fetchone(), None) == (3,)


def test_a_step_may_hold_semicolons_of_its_own(path) -> None:
    trigger = "CREATE TRIGGER twice AFTER INSERT ON word BEGIN UPDATE word SET length = 1; UPDATE word SET length = 2; END"
    words = Words(path, (*WORD_STEPS, f"{trigger}; CREATE INDEX by_text ON word (text)"))
    words.add("one")
    assert words.read(lambda db: db.execute("SELECT length FROM word").fetchone(), None) == (2,)


def test_the_database_of_a_newer_program_is_left_alone(words, path) -> None:
    words.add("one")
    with pytest.raises(InputOutputError, match="made by a newer ctxkit"):
        Words(path, WORD_STEPS[:1]).add("two")
    assert (words.all(), words.said) == (["one"], [])


def test_damage_is_set_aside_once_with_a_warning_that_says_what_is_lost(words, path) -> None:
    words.add("one")
    words.close()
    damage(path)
    assert words.all() == []
    words.add("two")
    assert words.all() == ["two"]
    (said,) = words.said
    assert said.startswith("words.db was damaged; it is set aside as ")
    assert said.endswith(" and begun anew (words are lost)")
    (aside,) = path.parent.glob("*.damaged-*")
    assert aside.read_bytes() == b"this is no database at all" * 100


def test_what_another_process_began_anew_is_not_set_aside_again(path) -> None:
    first, second = Words(path), Words(path)
    first.add("one")
    assert second.all() == ["one"]
    for one in (first, second):
        one.close()
    damage(path)
    first.add("two")
    assert second.all() == ["two"]
    assert len(first.said + second.said) == 1


def test_a_file_that_was_replaced_is_opened_anew(words, path) -> None:
    words.add("one")
    for file in path.parent.iterdir():
        file.unlink()
    words.add("two")
    assert words.all() == ["two"]


def test_a_lock_ends_in_locked_after_a_bounded_wait(words, path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "WAIT", 0.1)
    words.add("one")
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        with pytest.raises(LockedError, match="is locked by another process"):
            words.add("two")
        assert time.monotonic() - began < 3
        assert words.all() == ["one"]
    words.add("two")
    assert words.all() == ["one", "two"]


def test_a_place_that_cannot_be_written_to_fails_and_can_still_be_read() -> None:
    with tempfile.TemporaryDirectory() as directory, ordinary_user(directory):
        path = Path(directory) / "data" / "words.db"
        words = Words(path)
        words.add("one")
        words.close()
        path.chmod(0o400)
        path.parent.chmod(0o500)
        try:
            assert words.all() == ["one"]
            with pytest.raises(InputOutputError, match=r"words\.db"):
                words.add("two")
            assert (words.all(), words.said) == (["one"], [])
        finally:
            path.parent.chmod(0o700)


def test_a_full_disk_is_a_failure_that_leaves_the_data_whole(words) -> None:
    words.add("one")
    words.write(lambda db: None)
    words._connect().execute("PRAGMA max_page_count = 3")
    with pytest.raises(InputOutputError, match="full"):
        words.write(lambda db: db.execute("INSERT INTO word (text) VALUES (?)", ("x" * 100_000,)))
    assert words.all() == ["one"]


@pytest.mark.parametrize(("kind", "networked"), [("ext4", False), ("nfs4", True), ("fuse.sshfs", True)])
def test_a_disk_of_other_machines_is_told_from_the_mounts(kind: str, networked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 0 8:1 / / rw - ext4 /dev/a rw\n2 1 0:9 / {tmp_path} rw,noatime shared:1 - {kind} there rw\n")
    opened = open
    monkeypatch.setattr("builtins.open", lambda name, *more, **words: opened(mounts if "mountinfo" in str(name) else name, *more, **words))
    monkeypatch.setattr(sys, "platform", "linux")
    assert file_locks.is_on_network(str(tmp_path / "x.db")) is networked
    words = Words(tmp_path / "x.db")
    words.add("one")
    journal = words.read(lambda db: db.execute("PRAGMA journal_mode").fetchone()[0], "")
    assert journal == ("delete" if networked else "wal")


def _write_many(path: str, number: int, worst) -> None:
    words = Words(Path(path))
    for turn in range(WRITES):
        began = time.monotonic()
        words.add(f"{number}-{turn}")
        with worst.get_lock():
            worst.value = max(worst.value, time.monotonic() - began)


@pytest.mark.slow
def test_many_writers_at_once_all_get_through_from_the_very_first(path) -> None:
    context = multiprocessing.get_context("fork")
    worst = context.Value("d", 0.0)
    writers = [context.Process(target=_write_many, args=(str(path), number, worst)) for number in range(PROCESSES)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert {writer.exitcode for writer in writers} == {0}
    assert sorted(Words(path).all()) == sorted(f"{n}-{turn}" for n in range(PROCESSES) for turn in range(WRITES))
    assert worst.value < database.WAIT
    print(f"worst wait {worst.value:.3f} s")


RELEASED = (
    "289456b5a96d", "fbc0fbec0016", "1c6d2c3d1a37", "6718ed7813fd", "0dd847b89f45",
    "e95364195b80", "f1d84738c2bb", "173a7c975ce0", "f289e38f626c", "1a2ee001bc53", "a4ff6c279438",
    "e597e74a8882",
)  # fmt: skip
"""Digests of the steps: databases of users have run them, so a change needs a new step."""
TABLES = {
    "blob", "change", "directory", "earlier_snapshot", "hold", "item", "mark", "project", "reference", "session", "snapshot", "tool_use",
}  # fmt: skip


def run_steps(database: sqlite3.Connection, first: int, last: int) -> None:
    for step in STEPS[first:last]:
        for statement in step.split(";"):
            database.execute(statement)


def list_tables(database: sqlite3.Connection) -> set[str]:
    rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    return {name for (name,) in rows}


def test_all_steps_define_all_tables() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        run_steps(database, 0, len(STEPS))
        assert list_tables(database) == TABLES


@pytest.mark.parametrize("released", range(2, len(STEPS)))
def test_rows_of_an_earlier_version_stay(released: int) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        run_steps(database, 0, released)
        columns = "name, model, tokenizer, window, reserve, used, estimated, items, gatings, compactions, created, updated"
        database.execute(f"INSERT INTO session ({columns}) VALUES ('s', 'm', 't', 1, 2, 3, 4, 5, 6, 7, 8.0, 9.0)")
        run_steps(database, released, len(STEPS))
        row = database.execute(f"SELECT {columns}, edits, due, cold_from FROM session").fetchone()
        assert row == ("s", "m", "t", 1, 2, 3, 4, 5, 6, 7, 8.0, 9.0, 0, 0, 0.0)


def test_names_are_unique_where_rows_are_found_by_them() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        run_steps(database, 0, len(STEPS))
        database.execute("INSERT INTO directory VALUES ('s', 'path')")
        with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
            database.execute("INSERT INTO directory VALUES ('s', 'other')")
        database.execute("INSERT INTO mark VALUES (1, 'd', 'pin')")
        with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
            database.execute("INSERT INTO mark VALUES (1, 'd', 'omit')")


def test_released_steps_never_change() -> None:
    digests = [hashlib.sha256(step.encode()).hexdigest()[:12] for step in STEPS]
    assert digests == list(RELEASED)


def test_the_parts_of_a_process_share_a_connection_as_long_as_one_of_them_is_in_use(tmp_path: Path) -> None:
    ledger, catalog = SQLiteLedger(str(tmp_path), pytest.fail), Catalog(str(tmp_path), pytest.fail)
    assert ledger._database is catalog._database
    del ledger, catalog
    first = open_database(str(tmp_path), pytest.fail)
    assert open_database(str(tmp_path), print) is not first
    assert open_database(str(tmp_path / "else"), pytest.fail) is not first
