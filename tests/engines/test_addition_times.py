"""Additions are rows of a file: the last is read without those before it, and half a row harms no other."""

from pathlib import Path

from ctxkit.core.session.history import Addition
from ctxkit.engines.addition_times import append_addition, list_additions, read_last_addition

FIRST, SECOND = Addition(5.0, 1, 2, 0, 10), Addition(7.25, 3, 1, 10, 5)


def test_additions_come_back_in_order(tmp_path: Path) -> None:
    path = str(tmp_path / "times")
    assert (list_additions(path), read_last_addition(path)) == ([], None)
    for addition in (FIRST, SECOND):
        append_addition(path, addition)
    assert list_additions(path) == [FIRST, SECOND]
    assert read_last_addition(path) == SECOND
    assert (tmp_path / "times").stat().st_mode & 0o777 == 0o600


def test_half_a_row_is_no_addition_and_the_next_begins_a_line(tmp_path: Path) -> None:
    path = tmp_path / "times"
    append_addition(str(path), FIRST)
    with path.open("a") as file:
        file.write("6.0 3")
    assert read_last_addition(str(path)) == FIRST
    append_addition(str(path), SECOND)
    assert list_additions(str(path)) == [FIRST, SECOND]


def test_the_last_of_many_is_found_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "times"
    path.write_bytes(b"\xff" * 5000 + b"\n5.000000 1 2 0 10\n")
    assert read_last_addition(str(path)) == FIRST
