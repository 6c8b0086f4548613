"""Additions are rows of a file: the last is read without those before it, and half a row harms no other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxkit.core.session.history import Addition
from ctxkit.engines.addition_times import append_addition, list_additions, read_last_addition
from ctxkit.system.safe_directory import StoreFolder, open_folder

FIRST, SECOND = Addition(5.0, 1, 2, 0, 10), Addition(7.25, 3, 1, 10, 5)
NAME = "times"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[StoreFolder]:
    with open_folder(str(tmp_path)) as opened:
        yield opened


def test_additions_come_back_in_order(folder: StoreFolder, tmp_path: Path) -> None:
    assert (list_additions(folder, NAME), read_last_addition(folder, NAME)) == ([], None)
    for addition in (FIRST, SECOND):
        append_addition(folder, NAME, addition)
    assert list_additions(folder, NAME) == [FIRST, SECOND]
    assert read_last_addition(folder, NAME) == SECOND
    assert (tmp_path / "times").stat().st_mode & 0o777 == 0o600


def test_half_a_row_is_no_addition_and_the_next_begins_a_line(folder: StoreFolder, tmp_path: Path) -> None:
    path = tmp_path / "times"
    append_addition(folder, NAME, FIRST)
    with path.open("a") as file:
        file.write("6.0 3")
    assert read_last_addition(folder, NAME) == FIRST
    append_addition(folder, NAME, SECOND)
    assert list_additions(folder, NAME) == [FIRST, SECOND]


def test_the_last_of_many_is_found_at_the_end(folder: StoreFolder, tmp_path: Path) -> None:
    path = tmp_path / "times"
    path.write_bytes(b"\xff" * 5000 + b"\n5.000000 1 2 0 10\n")
    assert read_last_addition(folder, NAME) == FIRST
