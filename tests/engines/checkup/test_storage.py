import sqlite3
from pathlib import Path

from ctxkit.engines import schema
from ctxkit.engines.checkup.storage import checks


def database(data):
    return list(checks(str(data / "none"), str(data)))[1]


def test_where_nothing_is_yet_all_is_well(tmp_path: Path) -> None:
    content, found = checks(str(tmp_path / "cache"), str(tmp_path / "data"))
    assert (content.value, content.state) == ("0 blobs, 0 bytes", "ok")
    assert (found.state, found.value.endswith("created when it is needed")) == ("ok", True)
    assert list(tmp_path.iterdir()) == []


def test_a_sound_database_is_called_sound_and_a_torn_one_damaged(tmp_path: Path) -> None:
    path = tmp_path / schema.NAME
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE a (b)")
        db.executemany("INSERT INTO a VALUES (?)", [("x" * 500,) for _ in range(200)])
    db.close()
    assert database(tmp_path).value.endswith("journal delete, version 0, sound")
    data = bytearray(path.read_bytes())
    data[8192:12288] = b"\xff" * 4096
    path.write_bytes(data)
    assert database(tmp_path).state == "bad"
    assert not database(tmp_path).value.endswith("sound")


def test_a_directory_in_its_place_is_bad(tmp_path: Path) -> None:
    (tmp_path / schema.NAME).mkdir()
    assert database(tmp_path).state == "bad"
    assert database(tmp_path).hint


def test_a_link_in_its_place_is_bad(tmp_path: Path) -> None:
    (tmp_path / schema.NAME).symlink_to(tmp_path / "theirs.db")
    (check,) = [check for check in checks(str(tmp_path), str(tmp_path)) if check.name == "database"]
    assert (check.state, "is a link" in check.value) == ("bad", True)
