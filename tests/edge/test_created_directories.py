import json
import os
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError
from ctxkit.edge.created_directories import CreatedDirectories


@pytest.fixture
def created(tmp_path: Path) -> CreatedDirectories:
    return CreatedDirectories(str(tmp_path / "data"))


def test_what_was_made_goes_and_what_was_there_stays(created: CreatedDirectories, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    created.make(str(tmp_path / "home" / "a" / "b"))
    assert (tmp_path / "home" / "a" / "b").is_dir()
    created.remove_empty()
    assert [path.name for path in tmp_path.iterdir()] == ["home"]
    assert not list((tmp_path / "home").iterdir())


def test_a_directory_that_others_use_stays(created: CreatedDirectories, tmp_path: Path) -> None:
    created.make(str(tmp_path / "a" / "b"))
    (tmp_path / "a" / "theirs").touch()
    created.remove_empty()
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["theirs"]
    assert not (tmp_path / "data").exists()


def test_the_record_stays_while_another_host_is_set_up(created: CreatedDirectories, tmp_path: Path) -> None:
    created.make(str(tmp_path / "a"))
    created.make(str(tmp_path / "data" / "hosts" / "other"))
    (tmp_path / "data" / "hosts" / "other" / "setup.json").touch()
    (tmp_path / "a" / "file").touch()
    created.remove_empty()
    assert (tmp_path / "a").is_dir()
    (tmp_path / "a" / "file").unlink()
    (tmp_path / "data" / "hosts" / "other" / "setup.json").unlink()
    created.remove_empty()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["[", "{}", '[1, ["a"]]', "\x00"])
def test_a_record_that_cannot_be_read_removes_nothing(created: CreatedDirectories, tmp_path: Path, text: str) -> None:
    created.make(str(tmp_path / "a"))
    (tmp_path / "data" / "hosts" / "directories.json").write_text(text)
    created.remove_empty()
    assert (tmp_path / "a").is_dir()


def test_a_link_is_not_removed_and_a_directory_in_the_way_is_an_error(created: CreatedDirectories, tmp_path: Path) -> None:
    created.make(str(tmp_path / "a"))
    (tmp_path / "a").rmdir()
    (tmp_path / "theirs").mkdir()
    (tmp_path / "a").symlink_to(tmp_path / "theirs")
    created.remove_empty()
    assert os.path.islink(tmp_path / "a")
    (tmp_path / "file").touch()
    with pytest.raises(InputOutputError):
        created.make(str(tmp_path / "file" / "b"))


def test_the_record_lists_only_what_did_not_exist(created: CreatedDirectories, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    created.make(str(tmp_path / "a" / "b"))
    record = json.loads((tmp_path / "data" / "hosts" / "directories.json").read_bytes())
    assert record == [str(tmp_path / "a" / "b"), str(tmp_path / "data"), str(tmp_path / "data" / "hosts")]
