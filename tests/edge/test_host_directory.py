import json
import os
from pathlib import Path

import pytest

from ctxkit.core.errors import InputOutputError, LockedError, MalformedInputError, MissingInputError
from ctxkit.edge.host_directory import (
    BACKUP,
    CreatedDirectories,
    HostDirectory,
    HostFile,
    make_diff,
    make_digest,
    read_backup,
    read_host_file,
    remove_host_file,
    replace_host_file,
)


@pytest.fixture
def directory(tmp_path: Path) -> HostDirectory:
    return HostDirectory(str(tmp_path / "data"), "codex")


def test_scripts_and_the_record_are_written_and_go_together(directory: HostDirectory) -> None:
    script = f"{directory.path}/hook"
    assert directory.contains(script)
    assert not directory.contains("/home/me/.claude/hook")
    directory.write_script(script, "#!/bin/sh\n")
    assert Path(script).stat().st_mode & 0o777 == 0o755
    directory.save_record({"/settings": ["a", "b"]})
    assert directory.load_record() == {"/settings": ["a", "b"]}
    directory.remove()
    assert not os.path.exists(directory.path)
    assert directory.load_record() == {}


@pytest.mark.parametrize("text", ["[", "[]", '{"a": "b"}', '{"a": [1]}'])
def test_a_damaged_record_is_none(directory: HostDirectory, text: str) -> None:
    directory.save_record({})
    Path(directory.path, "setup.json").write_text(text)
    assert directory.load_record() == {}


def test_a_directory_that_others_of_the_group_could_change_is_taken_back(directory: HostDirectory) -> None:
    directory.save_record({"/settings": ["a", "b"]})
    os.chmod(directory.path, 0o775)
    assert directory.load_record() == {"/settings": ["a", "b"]}
    assert Path(directory.path).stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("link", ["hosts", "hosts/codex"])
def test_a_link_is_an_error_and_leads_nowhere(directory: HostDirectory, tmp_path: Path, link: str) -> None:
    (tmp_path / "theirs" / "codex").mkdir(parents=True)
    (tmp_path / "theirs" / "setup.json").write_text('{"/settings": ["a", "b"]}')
    (tmp_path / "data" / link).parent.mkdir(parents=True)
    (tmp_path / "data" / link).symlink_to(tmp_path / "theirs")
    assert directory.load_record() == {}
    for write in (lambda: directory.save_record({}), lambda: directory.write_script(f"{directory.path}/hook", "")):
        with pytest.raises(InputOutputError, match="is not followed"):
            write()
    directory.remove()
    assert not directory.remove_pages()
    assert sorted(path.name for path in (tmp_path / "theirs").iterdir()) == ["codex", "setup.json"]


def test_pages_go_with_their_host_and_those_without_a_host_with_the_last(tmp_path: Path) -> None:
    pages = tmp_path / "hosts" / "pages"
    for name in ("codex/s.md", "copilot/s.md", "old.md"):
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text("page")
    codex, copilot = HostDirectory(str(tmp_path), "codex"), HostDirectory(str(tmp_path), "copilot")
    copilot.save_record({"/settings": ["a", "b"]})
    assert codex.remove_pages()
    assert sorted(path.name for path in pages.iterdir()) == ["copilot", "old.md"]
    copilot.remove()
    assert copilot.remove_pages()
    assert not pages.exists()
    assert not copilot.remove_pages()


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


def test_a_file_is_replaced_once_with_a_backup_that_stays(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "settings.json"
    replace_host_file(read_host_file(str(path)), "one")
    assert not path.with_name(path.name + BACKUP).exists()
    replace_host_file(read_host_file(str(path)), "two")
    replace_host_file(read_host_file(str(path)), "three")
    file = read_host_file(str(path))
    assert (file.text, read_backup(file).text) == ("three", "one")


def test_a_file_that_changes_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text("one")
    file = read_host_file(str(path))
    path.write_text("theirs")
    with pytest.raises(LockedError, match="another program has changed it"):
        replace_host_file(file, "two")
    with pytest.raises(LockedError):
        remove_host_file(file)
    assert path.read_text() == "theirs"


def test_a_file_that_is_removed_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text("one")
    remove_host_file(read_host_file(str(path)))
    assert read_host_file(str(path)) == HostFile(str(path), None)
    assert make_digest(read_host_file(str(path))) == ""


def test_what_is_no_file_of_settings_is_named(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"a\xff")
    (tmp_path / "large").write_bytes(b" " * (8 << 20) + b"x")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MissingInputError, match="Is a directory"):
        read_host_file(str(tmp_path))
    with pytest.raises(MissingInputError, match="is not a file"):
        read_host_file(str(tmp_path / "pipe"))
    with pytest.raises(MalformedInputError, match="is not UTF-8: byte 2"):
        _ = read_host_file(str(tmp_path / "binary")).text
    with pytest.raises(MalformedInputError, match="has more than 8 MB"):
        read_host_file(str(tmp_path / "large"))


@pytest.mark.parametrize(
    ("data", "text", "lines"),
    [
        (None, "a\n", ["--- /dev/null", "+++ /s", "@@ -0,0 +1 @@", "+a"]),
        (b"a", None, ["--- /s", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"]),
        (b"a", "b", ["--- /s", "+++ /s", "@@ -1 +1 @@", "-a", "+b"]),
        (b"a\n", "a\n", []),
    ],
)
def test_a_diff_shows_the_change(data: bytes | None, text: str | None, lines: list[str]) -> None:
    assert make_diff(HostFile("/s", data), text).splitlines() == lines
