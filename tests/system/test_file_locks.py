"""Locks of files, and a file system without them, for which a library stands that refuses locks."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxkit.system import file_locks
from ctxkit.system.file_locks import is_on_network, lacks_locks, lock_file, unlock_file

SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
int flock(int file, int how) { errno = ENOLCK; return -1; }
static int refuse(const char *name, int file, int command, void *argument) {
    if (command == F_SETLK || command == F_SETLKW) { errno = ENOLCK; return -1; }
    return ((int (*)(int, int, void *))dlsym(RTLD_NEXT, name))(file, command, argument);
}
#define DEFINE(name) int name(int file, int command, ...) { \\
    va_list list; va_start(list, command); void *argument = va_arg(list, void *); va_end(list); \\
    return refuse(#name, file, command, argument); }
DEFINE(fcntl)
DEFINE(fcntl64)
"""
HAS_LOCKS = pytest.mark.skipif(file_locks.fcntl is None, reason="needs locks of files")  # type: ignore[attr-defined]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nolock")
    compiler = shutil.which("cc")
    if not compiler or os.uname().sysname != "Linux":
        pytest.skip("a C compiler makes the library")
    (folder / "nolock.c").write_text(SOURCE)
    done = subprocess.run([compiler, "-shared", "-fPIC", "-o", "nolock.so", "nolock.c", "-ldl"], cwd=folder)
    if done.returncode:
        pytest.skip("the library cannot be made")
    return folder / "nolock.so"


@pytest.fixture
def run_without_locks(ctxkit: str, home: dict[str, str], library: Path) -> Run:
    def run(*words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
        env = {**home, "LD_PRELOAD": str(library)}
        return subprocess.run([ctxkit, *words], input=stdin, capture_output=True, text=True, env=env, timeout=60)

    return run


@pytest.mark.slow
def test_an_error_names_the_file_system_and_not_another_process(run_without_locks: Run) -> None:
    start = time.monotonic()
    done = run_without_locks("session", "new", "s", "--window", "900")
    assert time.monotonic() - start < 4
    assert (done.returncode, "ctxkit.db: the file system has no file locks" in done.stderr) == (74, True)
    assert "hint: set CTXKIT_DATA_DIR to a directory on another disk" in done.stderr


@pytest.mark.slow
def test_content_is_gated_all_the_same(run_without_locks: Run) -> None:
    done = run_without_locks("gate", "--window", "900", "--tokenizer", "qwen3", stdin="line\n" * 3000)
    assert (done.returncode, "a map, not the content" in done.stdout) == (0, True)
    assert "the file system has no file locks" in done.stderr


@pytest.mark.slow
def test_doctor_names_it(run_without_locks: Run, home: dict[str, str]) -> None:
    run_without_locks("cache", "put", stdin="x")
    rows = run_without_locks("doctor").stdout.splitlines()
    for name in ("cache", "data"):
        path = f"{home[f'XDG_{name.upper()}_HOME']}/ctxkit"
        assert any(row.split()[1:] == f"{name} {path}: the file system has no file locks".split() for row in rows)


def test_a_usual_file_system_has_locks(tmp_path: Path) -> None:
    assert not lacks_locks(str(tmp_path))
    assert not lacks_locks(str(tmp_path / "none"))


@HAS_LOCKS
def test_a_lock_excludes_others_until_it_is_released(tmp_path: Path) -> None:
    one, two = (os.open(tmp_path, os.O_RDONLY) for _ in range(2))
    assert lock_file(one, 0, exclusive=False)
    assert lock_file(two, 0, exclusive=False)
    assert not lock_file(one, 0.01)
    unlock_file(two)
    assert lock_file(one, 0)
    assert not lock_file(two, 0.01, exclusive=False)
    unlock_file(one)
    assert lock_file(two, 0)
    for file in (one, two):
        os.close(file)


@HAS_LOCKS
def test_a_system_or_a_disk_without_locks_needs_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = os.open(tmp_path, os.O_RDONLY)
    os.close(file)
    assert lock_file(file, 0)  # as on a disk that cannot lock: flock fails
    monkeypatch.setattr(file_locks, "fcntl", None)
    assert lock_file(file, 0)
    unlock_file(file)


@pytest.mark.parametrize(("outer", "inner", "networked"), [("ext4", "nfs4", True), ("nfs4", "ext4", False), ("cifs", "tmpfs", False)])
def test_the_innermost_mount_decides(outer: str, inner: str, networked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 0 8:1 / / rw - {outer} /dev/a rw\n2 1 0:9 / {tmp_path} rw shared:1 - {inner} there rw\n")
    opened = open
    monkeypatch.setattr("builtins.open", lambda name, *more, **words: opened(mounts if "mountinfo" in str(name) else name, *more, **words))
    monkeypatch.setattr(sys, "platform", "linux")
    assert is_on_network(str(tmp_path / "x.db")) is networked


def test_another_system_has_no_list_of_mounts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not is_on_network("/")
