import os
from pathlib import Path

import pytest

from ctxkit.app.proxy import boundaries
from ctxkit.app.proxy.boundaries import FOLDER, LIFETIME, Boundaries
from ctxkit.core.proxy.model_apis import Boundary

PREFIXES = [f"{number:032x}" for number in range(6)]
ENTRIES = ('{"role":"user","content":"\ud800 \u00e9"}', "{}")


def test_the_longest_prefix_wins_and_outlives_the_process(tmp_path: Path) -> None:
    kept = Boundaries(str(tmp_path))
    kept.save(PREFIXES, Boundary(2, ("{}",)))
    kept.save(PREFIXES, Boundary(4, ENTRIES))
    assert Boundaries(str(tmp_path)).find(PREFIXES) == Boundary(4, ENTRIES)
    assert Boundaries(str(tmp_path)).find(PREFIXES[:3]) == Boundary(2, ("{}",))
    assert Boundaries(str(tmp_path)).find(["f" * 32, *PREFIXES[1:]]).covered == 4
    assert Boundaries(str(tmp_path)).find(PREFIXES[:1]) == Boundary(0, ())


def test_one_message_identifies_no_conversation(tmp_path: Path) -> None:
    kept = Boundaries(str(tmp_path))
    kept.save(PREFIXES, Boundary(1, ("{}",)))
    assert kept.find(PREFIXES[:1]) == Boundary(0, ())


def test_files_belong_to_the_user_alone_and_expire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Boundaries(str(tmp_path)).save(PREFIXES, Boundary(2, ("{}",)))
    file = tmp_path / FOLDER / PREFIXES[1]
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    old = file.stat().st_mtime - LIFETIME - 10
    os.utime(file, (old, old))
    Boundaries(str(tmp_path)).save(PREFIXES, Boundary(3, ("{}",)))
    assert not file.exists()


def test_a_boundary_in_use_is_young_again(tmp_path: Path) -> None:
    Boundaries(str(tmp_path)).save(PREFIXES, Boundary(2, ("{}",)))
    file = tmp_path / FOLDER / PREFIXES[1]
    os.utime(file, (1, 1))
    Boundaries(str(tmp_path)).find(PREFIXES)
    assert file.stat().st_mtime > 1


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff", b'["x"'])
def test_a_damaged_file_counts_as_none(tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    Boundaries(str(tmp_path)).save(PREFIXES, Boundary(2, ("{}",)))
    (tmp_path / FOLDER / PREFIXES[1]).write_bytes(content)
    assert Boundaries(str(tmp_path)).find(PREFIXES) == Boundary(0, ())
    assert "done again" in capsys.readouterr().err


def test_links_are_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (tmp_path / FOLDER).symlink_to(other)
    kept = Boundaries(str(tmp_path))
    kept.save(PREFIXES, Boundary(2, ("{}",)))
    assert kept.find(PREFIXES).covered == 2
    assert list(other.iterdir()) == []
    assert "kept in memory alone" in capsys.readouterr().err


def test_without_a_directory_memory_has_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundaries, "MOST_IN_MEMORY", 2)
    kept = Boundaries("")
    for covered in (2, 3, 4):
        kept.save(PREFIXES, Boundary(covered, ("{}",)))
    assert kept.find(PREFIXES).covered == 4
    assert kept.find(PREFIXES[:2]).covered == 0
