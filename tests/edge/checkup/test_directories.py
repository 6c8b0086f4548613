import os
from pathlib import Path

import pytest

from ctxkit.edge.checkup import directories
from ctxkit.edge.settings import Setting, Settings


def looked_at(**paths):
    settings = Settings([{f"{name}_dir": Setting(str(path), "test") for name, path in paths.items()}])
    return {check.name: check for check in directories.checks(settings)}


def test_a_directory_that_is_not_there_yet_is_well_where_it_can_be_made(tmp_path: Path) -> None:
    found = looked_at(cache=tmp_path / "a" / "b", data=tmp_path)
    assert found["cache"].state == "ok"
    assert "created when it is needed" in found["cache"].value


def test_others_must_not_write_to_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    check = looked_at(cache=tmp_path, data=tmp_path)["cache"]
    assert (check.state, check.hint) == ("bad", f"chmod 700 {tmp_path}")
    tmp_path.chmod(0o755)
    assert looked_at(cache=tmp_path, data=tmp_path)["cache"].state == "ok"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_that_cannot_be_written_is_bad(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    check = looked_at(cache=tmp_path, data=tmp_path)["cache"]
    tmp_path.chmod(0o700)
    assert (check.state, check.hint) == ("bad", "set CTXKIT_CACHE_DIR to a directory of yours")


def test_a_file_or_a_dangling_link_in_its_place_is_bad(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    found = looked_at(cache=tmp_path / "file", data=tmp_path / "link" / "below")
    assert (found["cache"].state, found["data"].state) == ("bad", "bad")


def test_little_space_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directories, "SCARCE", 1 << 62)
    check = looked_at(cache=tmp_path, data=tmp_path)["cache"]
    assert check.state == "bad"
    assert "only" in check.value
