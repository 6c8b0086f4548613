"""The migrations of the database: each may run once, after those before it, and never changes."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ctxkit.engines.catalog import Catalog
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.engines.schema import STEPS, open_database

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
