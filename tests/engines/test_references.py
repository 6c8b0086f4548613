"""What a file or a snapshot refers to is held as long as it exists."""

import sqlite3
from pathlib import Path

import pytest

from ctxkit.engines.references import References, hold, release, snapshot_holder

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
