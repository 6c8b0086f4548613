"""The token of the network: in a file that only its owner reads."""

import os
from pathlib import Path

import pytest

from ctxkit.core.errors import MissingInputError, UsageError
from ctxkit.edge.token_file import read_token


def write(path: Path, text: str, mode: int = 0o600) -> str:
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_a_token_is_read_without_its_line_end(tmp_path: Path) -> None:
    assert read_token(write(tmp_path / "t", "0123456789abcdef\n")) == "0123456789abcdef"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o606])
def test_a_file_that_others_read_is_no_secret(tmp_path: Path, mode: int) -> None:
    with pytest.raises(UsageError, match="other users can read the token"):
        read_token(write(tmp_path / "t", "0123456789abcdef", mode))


@pytest.mark.parametrize("text", ["", "short", "x" * 5_000, "0123456789abcdefé", "0123456789\nabcdefgh"])
def test_what_is_no_token_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="is not a token"):
        read_token(write(tmp_path / "t", text))


def test_a_missing_file_and_a_fifo_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="No such file"):
        read_token(str(tmp_path / "absent"))
    os.mkfifo(tmp_path / "fifo", 0o600)
    with pytest.raises(UsageError, match="not a regular file"):
        read_token(str(tmp_path / "fifo"))
