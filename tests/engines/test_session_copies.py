"""What this machine knows of sessions is what it read last, and a damaged file is nothing known."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.session.ledger import Session
from ctxkit.engines.session_copies import SessionCopies, _name_file

SESSION = Session("s", 1000, 200, "qwen3-30b", "qwen3", used=50, items=3)


@pytest.fixture
def copies(tmp_path: Path) -> SessionCopies:
    return SessionCopies(str(tmp_path / "copies"))


def file_of(copies: SessionCopies, name: str = "s") -> Path:
    return Path(copies._directory, _name_file(name))


def test_a_session_is_known_without_its_tokens(copies: SessionCopies) -> None:
    assert copies.find("s") is None
    copies.save(SESSION)
    assert copies.find("s") == Session("s", 1000, 200, "qwen3-30b", "qwen3")
    assert copies.find("t") is None
    assert file_of(copies).stat().st_mode & 0o777 == 0o600


def test_a_file_is_written_only_if_what_it_says_changes(copies: SessionCopies) -> None:
    copies.save(SESSION)
    before = file_of(copies).stat().st_ino
    copies.save(SESSION._replace(used=900, items=9))
    assert file_of(copies).stat().st_ino == before
    copies.save(SESSION._replace(window=5000))
    known = copies.find("s")
    assert known is not None
    assert known.window == 5000
    assert os.listdir(file_of(copies).parent) == [file_of(copies).name]


DAMAGED = [
    b"",
    b"[",
    b"{}",
    b"null",
    b'["s", 1000]',
    b'["t", 1000, 200, "", ""]',
    b'["s", "1", 200, "", ""]',
    b"[" * 90_000,
]


@pytest.mark.parametrize("data", DAMAGED)
def test_a_damaged_file_is_nothing_known_and_is_written_anew(copies: SessionCopies, data: bytes) -> None:
    copies.save(SESSION)
    file_of(copies).write_bytes(data)
    assert copies.find("s") is None
    copies.save(SESSION)
    assert copies.find("s") is not None


def test_a_directory_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    copies = SessionCopies(str(tmp_path / "file" / "copies"))
    copies.save(SESSION)
    assert copies.find("s") is None


@given(st.text(max_size=40), st.integers(0, 10**12), st.text(max_size=40))
def test_any_name_is_found_again(tmp_path_factory: pytest.TempPathFactory, name: str, window: int, model: str) -> None:
    copies = SessionCopies(str(tmp_path_factory.mktemp("copies")))
    copies.save(Session(name, window, 0, model))
    assert copies.find(name) == Session(name, window, 0, model)
    assert json.loads(file_of(copies, name).read_bytes())[0] == name
