import os
from pathlib import Path

import pytest

from ctxkit.core.errors import LockedError, MalformedInputError, MissingInputError
from ctxkit.edge.host_files import (
    BACKUP,
    HostFile,
    make_diff,
    make_digest,
    read_backup,
    read_host_file,
    remove_host_file,
    replace_host_file,
)


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
