"""Content that is compressed with Zstandard is read as if it were not."""

import io
import json
import sys
from pathlib import Path

import pytest

from ctxkit.core.errors import MalformedInputError
from ctxkit.edge import source
from ctxkit.edge.compressed import MAX_RATIO, MIN_LIMIT, read_chunks
from tests.conftest import Run

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
