"""Names for completion: the newest, by their prefix, read without a change."""

import os
from pathlib import Path

import pytest

from ctxkit.core.session.ledger import Session
from ctxkit.core.store.label import Label
from ctxkit.engines import known_names
from ctxkit.engines.catalog import Catalog
from ctxkit.engines.ledger import SQLiteLedger


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
    assert known_names.list_refs(data, "") == [("cd" * 32, 11, "bash", "name 1"), ("ab" * 32, 10, "bash", "name 0")]
    assert [name for name, *_ in known_names.list_sessions(data, "")] == ["second%2", "second_1", "first"]


def test_a_prefix_is_no_pattern(data: str) -> None:
    assert [row[0] for row in known_names.list_refs(data, "ab")] == ["ab" * 32]
    assert [name for name, *_ in known_names.list_sessions(data, "second_")] == ["second_1"]
    assert known_names.list_sessions(data, "%") == []
    assert known_names.list_refs(data, "AB") == []


def test_few_are_listed(data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_names, "MOST_NAMES", 1)
    assert [name for name, *_ in known_names.list_sessions(data, "")] == ["second%2"]


def test_a_database_that_is_absent_or_damaged_has_no_names(tmp_path: Path) -> None:
    assert known_names.list_refs(str(tmp_path), "") == []
    assert os.listdir(tmp_path) == []
    (tmp_path / "ctxkit.db").write_bytes(b"no database at all" * 100)
    assert known_names.list_sessions(str(tmp_path), "") == []
    assert os.listdir(tmp_path) == ["ctxkit.db"]
