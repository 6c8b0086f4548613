"""Marks of messages belong to a session, and go with it."""

import os
from pathlib import Path

import pytest

from ctxkit.core.session.ledger import Session
from ctxkit.core.store.label import Label
from ctxkit.core.tools.catalog import ToolUse
from ctxkit.engines import session_tables
from ctxkit.engines.catalog import Catalog
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.engines.session_tables import SessionDirectories, SQLiteContextMarks, SQLiteToolUses


@pytest.fixture
def opened(tmp_path: Path):
    ledger, marks = SQLiteLedger(str(tmp_path), pytest.fail), SQLiteContextMarks(str(tmp_path), pytest.fail)
    ledger.add(Session("s", 1000, 100))
    yield ledger, marks
    marks.close()
    ledger.close()


def test_a_new_mark_replaces_the_old_one(opened) -> None:
    _, marks = opened
    marks.set_mark("s", ["a", "b"], "keep")
    marks.set_mark("s", ["b"], "removable")
    assert marks.find("s") == {"a": "keep", "b": "removable"}
    assert marks.find("other") == {}


def test_a_session_that_is_removed_loses_its_marks(opened) -> None:
    ledger, marks = opened
    marks.set_mark("s", ["a"], "keep")
    ledger.remove("s")
    ledger.add(Session("s", 1000, 100))
    assert marks.find("s") == {}


def test_a_session_that_does_not_exist_has_no_marks(opened) -> None:
    _, marks = opened
    marks.set_mark("other", ["a"], "keep")
    assert marks.find("other") == {}


def test_sessions_are_known_by_their_directory_and_those_above_it(tmp_path):
    directories = SessionDirectories(str(tmp_path), print)
    assert directories.sessions_in("/w") == set()
    for session, path in (("a", "/w"), ("b", "/w/src"), ("c", "/w2"), ("a", "/w/docs")):
        directories.record(session, path)
    assert directories.sessions_in("/w") == {"a", "b"}
    assert directories.sessions_in("/w/src") == {"b"}
    directories.close()


def test_a_removed_session_leaves_its_directory(tmp_path):
    ledger, directories = SQLiteLedger(str(tmp_path), print), SessionDirectories(str(tmp_path), print)
    assert ledger.add(Session("a", 8000, 0))
    directories.record("a", "/w\udcff")
    assert directories.sessions_in("/w\udcff") == {"a"}
    assert ledger.remove("a")
    assert directories.sessions_in("/w\udcff") == set()


@pytest.fixture
def opened_tool_uses(tmp_path: Path):
    ledger, uses = SQLiteLedger(str(tmp_path), pytest.fail), SQLiteToolUses(str(tmp_path), pytest.fail)
    ledger.add(Session("s", 1000, 100))
    ledger.add(Session("other", 1000, 100))
    yield ledger, uses
    uses.close()
    ledger.close()


def test_later_calls_are_larger(opened_tool_uses) -> None:
    _, uses = opened_tool_uses
    uses.record("s", ["a", "b", "a"])
    uses.record("s", ["c"])
    found = uses.find("s")
    assert found["b"].last < found["a"].last < found["c"].last
    assert uses.find("other") == {}


def test_tools_that_were_called_or_found_are_pinned_until_a_compaction(opened_tool_uses) -> None:
    _, uses = opened_tool_uses
    uses.record("s", ["a"])
    uses.pin("s", ["a", "b"])
    assert uses.find("s") == {"a": ToolUse(1, is_pinned=True), "b": ToolUse(0, is_pinned=True)}
    uses.unpin_all("s")
    assert uses.find("s") == {"a": ToolUse(1), "b": ToolUse(0)}
    uses.record("s", ["b"])
    assert uses.find("s") == {"a": ToolUse(1), "b": ToolUse(2, is_pinned=True)}


def test_a_session_that_does_not_exist_has_none(opened_tool_uses) -> None:
    ledger, uses = opened_tool_uses
    uses.record("nobody", ["a"])
    uses.pin("nobody", ["a"])
    assert uses.find("nobody") == {}
    uses.record("s", ["a"])
    ledger.remove("s")
    ledger.add(Session("s", 1000, 100))
    assert uses.find("s") == {}


def test_there_need_be_no_database(tmp_path: Path) -> None:
    uses = SQLiteToolUses(str(tmp_path / "none"), pytest.fail)
    assert uses.find("s") == {}
    uses.close()


@pytest.fixture
def data(tmp_path: Path) -> str:
    catalog = Catalog(str(tmp_path), pytest.fail)
    for at, ref in enumerate(("ab" * 32, "cd" * 32)):
        catalog.add(ref, 10 + at, 1, Label(f"name {at}", "bash"))
    ledger = SQLiteLedger(str(tmp_path), pytest.fail)
    for name in ("first", "second_1", "second%2"):
        ledger.add(Session(name, 9000, 0, "", "bytes/3"))
    return str(tmp_path)


def test_the_newest_come_first(data: str) -> None:
    assert session_tables.list_refs(data, "") == [("cd" * 32, 11, "bash", "name 1"), ("ab" * 32, 10, "bash", "name 0")]
    assert [name for name, *_ in session_tables.list_sessions(data, "")] == ["second%2", "second_1", "first"]


def test_a_prefix_is_no_pattern(data: str) -> None:
    assert [row[0] for row in session_tables.list_refs(data, "ab")] == ["ab" * 32]
    assert [name for name, *_ in session_tables.list_sessions(data, "second_")] == ["second_1"]
    assert session_tables.list_sessions(data, "%") == []
    assert session_tables.list_refs(data, "AB") == []


def test_few_are_listed(data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_tables, "MOST_NAMES", 1)
    assert [name for name, *_ in session_tables.list_sessions(data, "")] == ["second%2"]


def test_a_database_that_is_absent_or_damaged_has_no_names(tmp_path: Path) -> None:
    assert session_tables.list_refs(str(tmp_path), "") == []
    assert os.listdir(tmp_path) == []
    (tmp_path / "ctxkit.db").write_bytes(b"no database at all" * 100)
    assert session_tables.list_sessions(str(tmp_path), "") == []
    assert os.listdir(tmp_path) == ["ctxkit.db"]
