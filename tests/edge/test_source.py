"""Names of files are read from lists."""

import os
import pty
import sys
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, MissingInputError, UsageError
from ctxkit.edge import source
from ctxkit.edge.source import read_names


def test_the_bytes_of_a_file_come_as_they_are(tmp_path: Path) -> None:
    data = os.urandom((2 << 20) + 5)
    (tmp_path / "file").write_bytes(data)
    pieces = list(source.chunks(str(tmp_path / "file")))
    assert b"".join(pieces) == data
    assert max(map(len, pieces)) <= source.CHUNK


def test_an_empty_file_has_no_pieces(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert list(source.chunks(str(tmp_path / "file"))) == []


@pytest.mark.parametrize("name", ["", "-"])
def test_a_dash_or_nothing_is_stdin(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").write_bytes(b"\xffpiped\r\n")
    with open(tmp_path / "in") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert b"".join(source.chunks(name)) == b"\xffpiped\r\n"


def test_what_comes_through_a_pipe_comes_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        pieces = source.chunks("-")
        os.write(writing, b"first")
        assert next(pieces) == b"first"
        os.write(writing, b"second")
        os.close(writing)
        assert list(pieces) == [b"second"]


def test_a_terminal_or_a_closed_stdin_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    master, slave = pty.openpty()
    with os.fdopen(slave) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        with pytest.raises(UsageError, match="nothing is piped in"):
            source.chunks("-")
    os.close(master)
    with pytest.raises(MissingInputError, match="stdin is closed"):
        source.chunks("-")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(MissingInputError, match="stdin is closed"):
        source.chunks("-")


def test_a_file_that_is_not_there_or_a_directory_is_missing_input(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="none: No such file or directory"):
        source.chunks(str(tmp_path / "none"))
    with pytest.raises(MissingInputError, match="is a directory"):
        source.chunks(str(tmp_path))


def test_a_read_that_fails_is_an_io_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(tmp_path / "out", "w") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        with pytest.raises(InputOutputError, match=r"^stdin: Bad file descriptor$"):
            list(source.chunks("-"))


def test_draining_reads_to_the_end(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * (3 << 20))
    pieces = source.chunks(str(tmp_path / "file"))
    next(pieces)
    source.drain(pieces)
    assert list(pieces) == []


@pytest.mark.parametrize(
    ("file", "name"), [("", "stdin"), ("-", "stdin"), ("a/b.log", "a/b.log"), ("bad\udcff", r"bad\xff")]
)
def test_content_is_called_by_its_file(file: str, name: str) -> None:
    assert source.name_of(file) == name


def test_a_name_never_takes_more_than_one_line() -> None:
    assert "\n" not in source.name_of("two\nlines")
    assert "\x1b" not in source.name_of("\x1b[31mred")


def test_content_that_was_read_before_can_be_read_again(tmp_path: Path) -> None:
    source.provide("-", b"again")
    assert b"".join(source.chunks("-")) == b"again"


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (b"a\nb c\n", ["a", "b c"]),
        (b"a\0b\nc\0", ["a", "b\nc"]),
        (b"", []),
        (b"\n\na", ["a"]),
        (b"\xff\n", ["\udcff"]),
        ("a\u2028b\nc\x0cd\ne\x85f\n".encode(), ["a\u2028b", "c\x0cd", "e\x85f"]),
    ],
)
def test_names_stand_on_lines_or_between_nuls(tmp_path: Path, data, names) -> None:
    (tmp_path / "list").write_bytes(data)
    assert read_names(str(tmp_path / "list")) == names


def test_a_list_that_is_not_there_is_missing_input(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError):
        read_names(str(tmp_path / "none"))
