"""Which files of a directory are read for a map, and which are not."""

import os
import subprocess
from pathlib import Path

import pytest

from ctxkit.core.brief.repository.file_scan import scan_file
from ctxkit.core.brief.repository.repository_file import RepositoryFile
from ctxkit.core.errors import MalformedInputError, MissingInputError
from ctxkit.engines.syntax import find_definitions
from ctxkit.engines.workspace.source_files import LATE, ReadLimits, ReadReports, read_repository

SOURCE = "def make_cake():\n    pass\n"


def write(root: Path, *names: str, text: str = SOURCE) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def read(root: Path, **options) -> dict[str, RepositoryFile]:
    files = read_repository(str(root), lambda path, data: scan_file(path, data, find_definitions), **options)
    assert files == sorted(files, key=lambda file: (file.directory, file.base))
    return {file.path: file for file in files}


def test_source_is_scanned_and_other_files_are_only_listed(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "lib/b.py", "data.json", "README.md")
    sizes: list[int] = []
    numbers: list[int] = []
    scanned: list[int] = []
    files = read(tmp_path, reports=ReadReports(numbers.append, sizes.append, scanned.append))
    assert numbers == [4]
    assert list(files) == ["README.md", "a.py", "data.json", "lib/b.py"]
    assert [len(file.symbols) for file in files.values()] == [0, 1, 0, 1]
    assert (files["data.json"].lines, files["data.json"].size, files["data.json"].skipped) == (0, len(SOURCE), "")
    assert sizes == scanned == [len(SOURCE)] * 3


def test_answers_of_other_processes_are_used_and_the_rest_is_scanned_here(tmp_path: Path) -> None:
    write(tmp_path, *(f"lib/{number}.py" for number in range(9)), "data.json")
    asked: list[dict[int, int]] = []

    def share_every_third(answer, sizes):
        """Yield the answers for the first, fourth and seventh item."""
        asked.append(sizes)
        return ((index, answer(index)) for index in list(sizes)[::3])

    scanned: list[str] = []

    def scan(path: str, data: bytes) -> RepositoryFile:
        scanned.append(path)
        return scan_file(path, data, find_definitions)

    files = read_repository(str(tmp_path), scan, ReadReports(share=share_every_third))
    assert list(asked[0].values()) == [len(SOURCE)] * 9
    assert sorted(scanned) == [f"lib/{number}.py" for number in range(9)]
    assert files == read_repository(str(tmp_path), lambda path, data: scan_file(path, data, find_definitions))


def test_the_error_of_another_process_is_raised(tmp_path: Path) -> None:
    write(tmp_path, "a.py")
    with pytest.raises(MalformedInputError, match="too deep"):
        read(tmp_path, reports=ReadReports(share=lambda _, sizes: ((index, MalformedInputError("too deep")) for index in sizes)))


def test_git_leaves_out_what_it_ignores_unless_it_ignores_everything(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "out/b.py", "out/c.py")
    write(tmp_path, ".gitignore", text="out/\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert list(read(tmp_path)) == [".gitignore", "a.py"]
    assert list(read(tmp_path / "out")) == ["b.py", "c.py"]


def test_no_link_is_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, "a.py")
    write(tmp_path, "outside/secret.py")
    os.symlink(tmp_path / "outside" / "secret.py", root / "link.py")
    os.symlink(tmp_path / "outside", root / "folder")
    os.symlink(root, root / "loop")
    os.symlink("self", root / "self")
    assert list(read(root)) == ["a.py"]


def test_a_forged_index_leads_nowhere(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, "a.py", "folder/secret.py")
    write(tmp_path, "outside/secret.py")
    subprocess.run(["git", "init", "-q", root], check=True)
    subprocess.run(["git", "-C", root, "add", "."], check=True)
    (root / "folder" / "secret.py").unlink()
    (root / "folder").rmdir()
    os.symlink(tmp_path / "outside", root / "folder")
    assert list(read(root)) == ["a.py"]


def test_pipes_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    write(tmp_path, "a.py")
    assert list(read(tmp_path)) == ["a.py"]


def test_what_limits_leave_out_is_said_with_the_reason_and_tests_first(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "tests/test_a.py", "generated/b.py")
    write(tmp_path, "large.py", text=SOURCE * 9)
    limits = ReadLimits(file_bytes=100, total_bytes=40)
    reasons = {path: file.skipped for path, file in read(tmp_path, limits=limits).items()}
    assert reasons == {
        "a.py": "",
        "large.py": "over 100 bytes",
        "tests/test_a.py": "past the first 40 bytes",
        "generated/b.py": "vendored or generated",
    }
    late = read(tmp_path, limits=ReadLimits(seconds=-1, seconds_per_mb=0))
    assert late["a.py"].skipped == LATE


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_said(tmp_path: Path) -> None:
    write(tmp_path, "a.py")
    (tmp_path / "a.py").chmod(0)
    assert read(tmp_path)["a.py"].skipped == "not readable"


def test_a_file_that_cannot_be_opened_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.py")

    def refuse(*_: object) -> int:
        raise PermissionError

    monkeypatch.setattr("ctxkit.engines.workspace.source_files.os.open", refuse)
    assert read(tmp_path)["a.py"].skipped == "not readable"


def test_a_directory_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MissingInputError, match="No such file"):
        read(tmp_path / "none")


def test_a_script_without_an_extension_is_read(tmp_path: Path) -> None:
    write(tmp_path, "run", text="#!/bin/sh\ngo() {\n  :\n}\n")
    write(tmp_path, "LICENSE", text="words\n")
    files = read(tmp_path)
    assert [symbol.name for symbol in files["run"].symbols] == ["go"]
    assert (files["LICENSE"].symbols, files["LICENSE"].skipped) == ((), "")
