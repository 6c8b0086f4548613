"""Content that is compressed with Zstandard is read as if it were not."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, LockedError, MalformedInputError, MissingInputError, UsageError
from ctxkit.edge import conversations, source
from ctxkit.edge.conversations import MAX_RATIO, MIN_LIMIT, InPlaceFile, read_chunks
from tests.conftest import Run

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


if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd
TURNS = [{"role": "user", "content": "Fix it."}, {"role": "assistant", "content": "Done."}]
LINES = "".join(json.dumps(turn) + "\n" for turn in TURNS).encode()


def read(path: Path, data: bytes) -> bytes:
    path.write_bytes(data)
    return b"".join(read_chunks(str(path)))


@pytest.mark.parametrize("data", [b"", b"a", LINES, LINES * 50_000])
def test_plain_and_compressed_content_is_the_same(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "s"
    assert read(path, data) == data
    assert read(path, zstd.compress(data)) == data
    assert read(path, zstd.compress(data) + zstd.compress(LINES)) == data + LINES


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_it_may_arrive_in_pieces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: int) -> None:
    monkeypatch.setattr(source, "CHUNK", size)
    assert read(tmp_path / "s", zstd.compress(LINES)) == LINES


@pytest.mark.parametrize("change", [lambda data: data[:-3], lambda data: data[:20] + b"\0" * 20, lambda data: data + b"x"])
def test_damaged_content_is_refused(tmp_path: Path, change) -> None:
    with pytest.raises(MalformedInputError, match=r"valid Zstandard|ends within"):
        read(tmp_path / "s", change(zstd.compress(LINES * 99)))


def test_a_bomb_is_refused(tmp_path: Path) -> None:
    compressed = io.BytesIO()
    with zstd.ZstdFile(compressed, "w") as file:
        for _ in range(3 * MIN_LIMIT >> 20):
            file.write(bytes(1 << 20))
    assert len(compressed.getvalue()) * MAX_RATIO < 3 * MIN_LIMIT
    (tmp_path / "s").write_bytes(compressed.getvalue())
    with pytest.raises(MalformedInputError, match="decompresses to more than"):
        for _ in read_chunks(str(tmp_path / "s")):
            pass


def test_commands_read_a_compressed_session_and_change_none(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl.zst"
    path.write_bytes(zstd.compress(LINES))
    counted = json.loads(run("count", "--json", "--model", "gpt-4o", str(path)).out)
    assert (counted["format"], counted["messages"], counted["bytes"]) == ("openai", 2, len(LINES))
    assert b"Fix it." in run("edit", "list", "--model", "gpt-4o", str(path)).out
    refused = run("edit", "remove", "2", "--in-place", "--model", "gpt-4o", str(path))
    assert refused.status == 65
    assert "compressed with Zstandard" in refused.err
    assert path.read_bytes() == zstd.compress(LINES)


def test_without_the_library_the_way_to_read_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, zstd.__name__, None)
    with pytest.raises(MalformedInputError, match="compressed with Zstandard") as caught:
        read(tmp_path / "s", zstd.compress(LINES))
    assert "zstd -dc FILE" in caught.value.hint
