import os
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, LockedError, MalformedInputError, MissingInputError, UsageError
from ctxkit.edge import conversations
from ctxkit.edge.conversations import InPlaceFile

CHAT = b'{"role":"user","content":"hi"}\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(CHAT)
    return path


def test_a_conversation_is_read_in_the_format_that_is_named(file) -> None:
    assert conversations.read_conversation(str(file), None).format.NAME == "openai"
    assert conversations.read_conversation(str(file), "swe-agent").format.NAME == "swe-agent"
    with pytest.raises(MalformedInputError, match=r"chat\.jsonl: line 1"):
        conversations.parse_conversation(b"{", "chat.jsonl", None)
    with pytest.raises(MissingInputError):
        conversations.read_conversation(str(file.parent), None)


def test_a_file_is_replaced_whole_with_its_permissions(file) -> None:
    file.chmod(0o604)
    target = InPlaceFile(str(file))
    assert target.data == CHAT
    target.write(b"new")
    assert file.read_bytes() == b"new"
    assert file.stat().st_mode & 0o777 == 0o604
    assert list(file.parent.iterdir()) == [file]


def test_what_somebody_else_wrote_meanwhile_stays(file) -> None:
    target = InPlaceFile(str(file))
    file.write_bytes(CHAT * 2)
    with pytest.raises(LockedError, match="was changed meanwhile"):
        target.write(b"new")
    assert file.read_bytes() == CHAT * 2
    assert list(file.parent.iterdir()) == [file]


def test_what_cannot_be_written_leaves_the_file_as_it_was(file, monkeypatch: pytest.MonkeyPatch) -> None:
    target = InPlaceFile(str(file))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputOutputError, match="No space left"):
        target.write(b"new")
    assert file.read_bytes() == CHAT
    assert list(file.parent.iterdir()) == [file]


def test_only_a_plain_file_has_a_place(file, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        InPlaceFile("-")
    with pytest.raises(MissingInputError):
        InPlaceFile(str(tmp_path / "none"))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MissingInputError, match="not a regular file"):
        InPlaceFile(str(tmp_path / "pipe"))
