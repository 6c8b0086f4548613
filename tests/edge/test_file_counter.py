"""Contents are counted and printed in rows, and a file that cannot be read does not end the count."""

import json
from pathlib import Path

import pytest

from ctxkit.core.errors import Exit
from ctxkit.edge.file_counter import CountDisplay, FileCounter
from tests.core.edit.talk import CHAT, ORDER


@pytest.fixture
def files(tmp_path: Path):
    (tmp_path / "a.txt").write_text("word " * 30)
    (tmp_path / "b.txt").write_text("two\nlines\n")
    (tmp_path / "chat.json").write_text(json.dumps(CHAT))
    return tmp_path


def count(capfdbinary, names, *, by="file", limit=None, **given):
    status = FileCounter(ORDER, CountDisplay(by, **given)).count_files([str(name) for name in names], limit)
    written = capfdbinary.readouterr()
    return status, written.out.decode(), written.err.decode()


def test_several_files_have_a_total(files, capfdbinary) -> None:
    status, out, err = count(capfdbinary, [files / "a.txt", files / "b.txt"])
    rows = [line.split() for line in out.splitlines()]
    assert status == Exit.DONE
    assert [row[1].rpartition("/")[2] for row in rows] == ["a.txt", "b.txt", "total"]
    assert int(rows[0][0]) + int(rows[1][0]) == int(rows[2][0])
    assert "the total is an estimate" in err


def test_a_missing_file_is_reported_and_the_rest_is_counted(files, capfdbinary) -> None:
    status, out, err = count(capfdbinary, [files / "none", files / "b.txt"])
    assert status == 66
    assert out.split()[1].endswith("b.txt")
    assert "none" in err


def test_more_tokens_than_the_limit_are_a_no(files, capfdbinary) -> None:
    assert count(capfdbinary, [files / "a.txt"], limit=5)[0] == Exit.NO
    assert count(capfdbinary, [files / "a.txt"], limit=500)[0] == Exit.DONE


def test_objects_have_null_where_reading_stopped(files, capfdbinary) -> None:
    (files / "long.txt").write_text("word " * 100_000)
    _, out, _ = count(capfdbinary, [files / "long.txt"], limit=5, as_json=True)
    value = json.loads(out.splitlines()[0])
    assert (value["tokens"], value["bytes"], value["lines"]) == (None, None, None)
    assert value["low"] > 5


@pytest.mark.parametrize("by", ["message", "component"])
def test_text_has_no_messages(files, capfdbinary, by: str) -> None:
    status, out, err = count(capfdbinary, [files / "a.txt"], by=by)
    assert (status, out) == (65, "")
    assert "--by file and line count text" in err


def test_the_lines_of_a_file_are_counted_one_by_one(files, capfdbinary) -> None:
    _, out, _ = count(capfdbinary, [files / "b.txt"], by="line")
    assert [line.split("\t")[1].rpartition(":")[2] for line in out.splitlines()] == ["1", "2"]


def test_a_directory_cannot_be_counted(files, capfdbinary) -> None:
    status, _, err = count(capfdbinary, [files])
    assert status == 66
    assert err != ""
