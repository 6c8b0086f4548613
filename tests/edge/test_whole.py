"""Files are written whole or not at all."""

import os

import pytest

from ctxkit.core.trouble import IOFailed
from ctxkit.edge import whole


def test_a_file_takes_the_place_of_the_one_before_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "page.md"
    whole.write(str(path), b"one")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    whole.write(str(path), b"two")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o644)
    assert whole.read(str(path)) == "two"


def test_a_link_is_followed(tmp_path):
    (tmp_path / "page.md").write_text("one")
    os.symlink(tmp_path / "page.md", tmp_path / "link.md")
    whole.write(str(tmp_path / "link.md"), b"two")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "page.md").read_text() == "two"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path):
    with pytest.raises(IOFailed):
        whole.write(str(tmp_path / "none" / "page.md"), b"x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(IOFailed):
        whole.write(str(tmp_path / "folder"), b"x")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder"]


def test_what_is_not_there_is_empty(tmp_path):
    assert whole.read(str(tmp_path / "none")) == ""
    with pytest.raises(IOFailed):
        whole.read(str(tmp_path))
