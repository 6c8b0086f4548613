"""Files are written whole or not at all."""

import os
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctxkit.core.drawing import render_html, render_svg
from ctxkit.core.errors import InputOutputError, UsageError
from ctxkit.core.lint.document.markdown import FileRole
from ctxkit.core.lint.document.parse import parse_document
from ctxkit.core.lint.document.workspace import Workspace
from ctxkit.edge import atomic_file
from ctxkit.edge.atomic_file import OutsideRoot, open_rooted_path, read_content, remove_leftovers, replace_file
from ctxkit.edge.lint.writing import find_unwritable, write_documents
from ctxkit.system import processes
from ctxkit.system.own_files import is_temporary, process_of, temporary_name

RENAME = re.compile(r"\bos\.(replace|rename)\(")


def test_a_file_takes_the_place_of_the_one_before_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    atomic_file.write(str(path), b"one")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    atomic_file.write(str(path), b"two")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o644)
    assert atomic_file.read(str(path)) == "two"


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("one")
    os.symlink(tmp_path / "page.md", tmp_path / "link.md")
    atomic_file.write(str(tmp_path / "link.md"), b"two")
    assert (tmp_path / "link.md").is_symlink()
    assert (tmp_path / "page.md").read_text() == "two"


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(InputOutputError):
        atomic_file.write(str(tmp_path / "none" / "page.md"), b"x")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputOutputError):
        atomic_file.write(str(tmp_path / "folder"), b"x")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["folder"]


def test_what_is_not_there_is_empty(tmp_path: Path) -> None:
    assert atomic_file.read(str(tmp_path / "none")) == ""
    with pytest.raises(InputOutputError):
        atomic_file.read(str(tmp_path))


def test_what_killed_processes_left_beside_a_file_is_removed(tmp_path: Path) -> None:
    gone, random = 2**22 + 1, "0123456789abcdef"  # no process has that number
    left = [temporary_name(gone, random), temporary_name(os.getpid(), random), ".ctxkit-ab12cd_9"]
    kept = [temporary_name(os.getpid(), "f" * 16), ".ctxkit-zz12cd_9", "page.md.new", ".ctxkit.toml"]
    for name in (*left, *kept):
        (tmp_path / name).write_text("half")
    for name in (*left[1:], *kept[2:]):
        os.utime(tmp_path / name, (0, time.time() - processes.LEFTOVER_SECONDS - 1))
    atomic_file.write(str(tmp_path / "page.md"), b"one")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["page.md", *kept])


def test_what_is_refused_at_the_last_moment_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("old")

    def refuse():
        raise ValueError("changed meanwhile")

    with pytest.raises(ValueError, match="changed meanwhile"):
        atomic_file.write(str(path), b"new", refuse)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("page.md", "old")]


def test_only_one_module_renames_files_that_users_name() -> None:
    files = [path for path in Path(atomic_file.__file__).parent.rglob("*.py") if RENAME.search(path.read_text())]
    assert [path.name for path in files] == ["atomic_file.py"]


def test_a_pipe_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputOutputError, match="pipe: is not a regular file"):
        atomic_file.write(str(tmp_path / "pipe"), b"x")
    assert [one.name for one in tmp_path.iterdir()] == ["pipe"]
    assert (tmp_path / "pipe").is_fifo()


def test_an_abandoned_file_is_removed_where_no_directory_can_be_opened_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic_file, "_RELATIVE", False)
    left = tmp_path / temporary_name(2**22 + 1, "0123456789abcdef")
    left.write_text("half")
    os.utime(left, (0, 0))
    atomic_file.write(str(tmp_path / "page.md"), b"one")
    assert [(one.name, one.stat().st_mode & 0o777) for one in tmp_path.iterdir()] == [("page.md", 0o600)]


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
    monkeypatch.setattr(atomic_file, "_RELATIVE", False)
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


def test_the_ending_says_the_format(tmp_path: Path) -> None:
    assert atomic_file.find_chart_renderer("a.b/c.SVG") is render_svg
    assert atomic_file.find_chart_renderer("x.html") is render_html
    for path in ("plot", "plot.png", ".svg", "svg"):
        with pytest.raises(UsageError, match=r"\.svg nor \.html"):
            atomic_file.find_chart_renderer(path)


def test_a_chart_replaces_the_file(tmp_path: Path) -> None:
    for text in ("old", "né"):
        atomic_file.write_chart(str(tmp_path / "a.svg"), text)
    assert (tmp_path / "a.svg").read_bytes() == "né".encode()
