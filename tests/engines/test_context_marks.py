"""Marks of messages belong to a session, and go with it."""

from pathlib import Path

import pytest

from ctxkit.core.session.ledger import Session
from ctxkit.engines.context_marks import SQLiteContextMarks
from ctxkit.engines.ledger import SQLiteLedger


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
