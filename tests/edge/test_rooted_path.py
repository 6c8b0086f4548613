"""Files are replaced below a directory and nowhere else."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.edge import rooted_path
from ctxkit.edge.lint.writing import find_unwritable, write_documents
from ctxkit.edge.rooted_path import OutsideRoot, open_rooted_path, read_content, remove_leftovers, replace_file
from ctxkit.system.own_files import is_temporary, process_of, temporary_name

OLD, NEW = b"one\ntwo\n", b"one\n"


@pytest.fixture
def space(tmp_path: Path) -> Path:
    """A workspace with a file of the same name outside of it."""
    root = tmp_path / "space"
    (root / "real").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    for path in (root / "AGENTS.md", root / "real" / "AGENTS.md", tmp_path / "out" / "AGENTS.md"):
        path.write_bytes(OLD)
    return root


def space_of(**files: bytes) -> Workspace:
    return Workspace(tuple(parse_document(path, data, FileRole.INSTRUCTIONS) for path, data in files.items()))


def fix(root: Path, path: str) -> int:
    """Write the change of one document; return how many stay."""
    return write_documents(str(root), space_of(**{path: OLD}), space_of(**{path: NEW}))


@pytest.mark.parametrize("target", ["real/AGENTS.md", "./real/../AGENTS.md", "{root}/AGENTS.md", "real/../real/AGENTS.md"])
def test_a_link_inside_is_followed_to_the_real_file(target: str, space) -> None:
    link = space / "LINK.md"
    link.symlink_to(target.format(root=space))
    assert fix(space, "LINK.md") == 0
    assert link.is_symlink()
    assert link.read_bytes() == NEW


def test_a_linked_directory_inside_is_followed(space) -> None:
    (space / "linked").symlink_to("real")
    assert fix(space, "linked/AGENTS.md") == 0
    assert (space / "real" / "AGENTS.md").read_bytes() == NEW


OUTSIDE = {
    "to a file": ("AGENTS.md", "../out/AGENTS.md", "AGENTS.md"),
    "to a directory": ("linked", "../out", "linked/AGENTS.md"),
    "to an absolute path": ("linked", "{out}", "linked/AGENTS.md"),
    "to a neighbour with a longer name": ("linked", "{root}-other", "linked/AGENTS.md"),
    "through the parent and back": ("linked", "../space/../out", "linked/AGENTS.md"),
    "in circles": ("linked", "linked", "linked/AGENTS.md"),
    "to a directory's name": ("AGENTS.md", "real", "AGENTS.md"),
}


@pytest.mark.parametrize("case", OUTSIDE)
def test_a_link_that_leads_outside_is_left_alone(case: str, space, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link, target, path = OUTSIDE[case]
    (tmp_path / "space-other").mkdir()
    (tmp_path / "space-other" / "AGENTS.md").write_bytes(OLD)
    (space / link).unlink(missing_ok=True)
    (space / link).symlink_to(target.format(root=space, out=tmp_path / "out"))
    assert list(find_unwritable(str(space), [path])) == [path]
    assert fix(space, path) == 1
    assert f"{path} " in capsys.readouterr().err
    for other in ("out", "space-other"):
        assert (tmp_path / other / "AGENTS.md").read_bytes() == OLD
        assert len(os.listdir(tmp_path / other)) == 1


def test_a_path_with_dots_leads_outside(space) -> None:
    assert fix(space, "../out/AGENTS.md") == 1
    assert fix(space, "real/../../out/AGENTS.md") == 1


@pytest.mark.parametrize("kind", ["fifo", "socket", "directory"])
def test_what_is_not_a_regular_file_is_left_alone(kind: str, space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(space)
    os.unlink("AGENTS.md")
    if kind == "fifo":
        os.mkfifo("AGENTS.md")
    elif kind == "directory":
        os.mkdir("AGENTS.md")
    else:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("AGENTS.md")
    assert "not a regular file" in find_unwritable(".", ["AGENTS.md"])["AGENTS.md"]
    assert fix(space, "AGENTS.md") == 1


def test_permissions_are_kept_and_a_new_file_has_those_of_the_umask(space) -> None:
    (space / "AGENTS.md").chmod(0o604)
    assert fix(space, "AGENTS.md") == 0
    assert (space / "AGENTS.md").stat().st_mode & 0o7777 == 0o604
    with open_rooted_path(str(space), "new") as place:
        replace_file(place, b"x")
    umask = os.umask(0)
    os.umask(umask)
    assert (space / "new").stat().st_mode & 0o777 == 0o666 & ~umask


def test_other_names_of_a_file_keep_its_old_content(space) -> None:
    os.link(space / "AGENTS.md", space / "other.md")
    assert fix(space, "AGENTS.md") == 0
    assert ((space / "AGENTS.md").read_bytes(), (space / "other.md").read_bytes()) == (NEW, OLD)


FLIP = """
import os, sys
os.chdir(sys.argv[1])
while True:
    os.rename("turning", "away")
    os.symlink("../out", "turning")
    os.unlink("turning")
    os.rename("away", "turning")
"""


def test_nothing_outside_changes_while_a_directory_turns_into_a_link_and_back(space, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (space / "turning").mkdir()
    (space / "turning" / "AGENTS.md").write_bytes(OLD)
    long, short = (space_of(**{"turning/AGENTS.md": data}) for data in (OLD, NEW))
    outside_file = (tmp_path / "out" / "AGENTS.md").stat()
    turning = subprocess.Popen([sys.executable, "-c", FLIP, space])
    try:
        wrote, end = 0, time.monotonic() + 2
        while time.monotonic() < end:
            for old, new in ((long, short), (short, long)):
                wrote += write_documents(str(space), old, new) == 0
            capsys.readouterr()
            assert turning.poll() is None
            assert os.listdir(tmp_path / "out") == ["AGENTS.md"]
    finally:
        turning.kill()
        turning.wait()
    assert wrote, "no fix was written at all"
    now = (tmp_path / "out" / "AGENTS.md").stat()
    assert (now.st_ino, now.st_mtime_ns, now.st_size) == (outside_file.st_ino, outside_file.st_mtime_ns, len(OLD))


def ended_process() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_what_a_killed_fix_left_is_collected_by_the_next(space) -> None:
    left = [space / temporary_name(ended_process(), "0123456789abcdef"), space / "real" / ".ctxkit-ab12cd_9"]
    kept = [space / temporary_name(os.getpid(), "0123456789abcdef"), space / ".ctxkit-zz12cd_9", space / ".ctxkit.toml",
            space / ".ctxkit-notes", space / ".ctxkit-1-0123456789abcdef.md"]
    for path in (*left, *kept):
        path.write_bytes(b"half")
    os.utime(left[1], (1, 1))
    odd = space / temporary_name(1, "f" * 16)
    odd.symlink_to("AGENTS.md")
    before = space_of(**{"AGENTS.md": OLD, "real/AGENTS.md": OLD})
    assert write_documents(str(space), before, before) == 0
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in kept)
    assert odd.is_symlink()


def test_leftovers_behind_a_link_that_leads_outside_stay(space, tmp_path: Path) -> None:
    left = tmp_path / "out" / ".ctxkit-ab12cd_9"
    left.write_bytes(b"half")
    os.utime(left, (1, 1))
    (space / "linked").symlink_to("../out")
    fix(space, "linked/AGENTS.md")
    assert left.exists()


def test_names_of_temporary_files() -> None:
    name = temporary_name(17, "0123456789abcdef")
    assert is_temporary(name)
    assert process_of(name) == 17
    assert process_of(".ctxkit-ab12cd_9") == 0
    assert not is_temporary(".ctxkit.toml")


def test_where_no_directory_can_be_opened_the_real_path_is_checked(space, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(rooted_path, "_RELATIVE", False)
    (space / "linked").symlink_to("../out")
    (space / "LINK.md").symlink_to("real/AGENTS.md")
    left = space / temporary_name(ended_process(), "0123456789abcdef")
    left.write_bytes(b"half")
    assert fix(space, "linked/AGENTS.md") == 1
    assert fix(space, "real") == 1
    assert fix(space, "LINK.md") == 0
    assert not left.exists()
    assert (space / "real" / "AGENTS.md").read_bytes() == NEW
    with open_rooted_path(str(space), "AGENTS.md") as place:
        assert read_content(place, 3) == b"one"
        with pytest.raises(OutsideRoot), open_rooted_path(str(space), "real"):
            pass


def test_a_failed_write_leaves_no_temporary_file(space, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"), open_rooted_path(str(space), "AGENTS.md") as place:
        replace_file(place, NEW)
    assert sorted(os.listdir(space)) == ["AGENTS.md", "real"]


def test_collecting_a_directory_that_is_gone_is_nothing(tmp_path: Path) -> None:
    assert remove_leftovers(str(tmp_path / "gone")) == 0
