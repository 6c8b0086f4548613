"""Stored content goes when it is told to."""

import os
import pty
import select
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Home = dict[str, str]


def put(run: Run, content: str) -> str:
    ref: str = run("cache", "put", stdin=content).out.decode().strip()
    return ref


def listed(run: Run) -> set[str]:
    return {row.split()[0] for row in run("cache", "list").out.decode().splitlines()}


def test_several_go_at_once_and_the_others_stay(run: Run) -> None:
    one, two, three = (put(run, content) for content in ("1", "2", "3"))
    done = run("cache", "rm", one, two[:7])
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert listed(run) == {three}
    assert run("cache", "get", one).status == 1


def test_if_one_is_absent_none_goes(run: Run) -> None:
    one = put(run, "1")
    done = run("cache", "rm", one, "abcdef")
    assert (done.status, done.out) == (1, b"")
    assert done.err == "ctxkit: nothing is stored under abcdef\n  hint: ctxkit cache list shows all content\n"
    assert listed(run) == {one}


def test_the_same_ref_twice_is_no_trouble(run: Run) -> None:
    one = put(run, "1")
    assert run("cache", "rm", one, one).status == 0
    assert listed(run) == set()


def test_all_goes_and_leaves_no_byte_behind(run: Run, home: Home) -> None:
    put(run, "secret one")
    put(run, "secret two" * 100_000)
    done = run("cache", "rm", "--all", "--yes")
    assert (done.status, done.out, done.err) == (0, b"", "")
    assert listed(run) == set()
    files = [path for path in Path(home["XDG_CACHE_HOME"]).rglob("*") if path.is_file()]
    assert not [path for path in files if b"secret" in path.read_bytes()]
    assert run("cache", "rm", "--all", "--yes").status == 0


def test_all_content_needs_a_yes_where_nobody_can_be_asked(run: Run) -> None:
    one = put(run, "1")
    for stdin in ("", "y\n"):
        done = run("cache", "rm", "--all", stdin=stdin)
        assert (done.status, done.out) == (2, b"")
        assert done.err.startswith("ctxkit: --all needs --yes if stdin is not a terminal\n  hint: --dry-run prints")
    assert listed(run) == {one}


def test_a_dry_run_names_what_would_go_and_removes_nothing(run: Run, home: Home) -> None:
    assert run("cache", "rm", "--all", "--dry-run").out == b"nothing is stored\n"
    one = put(run, "1")
    done = run("cache", "rm", "--all", "--dry-run")
    assert (done.status, done.out.decode()) == (0, f"would remove 1 blob, 1 byte, from {home['XDG_CACHE_HOME']}/ctxkit\n")
    assert run("cache", "rm", one, "--dry-run").out.decode() == f"would remove {one}\n"
    assert listed(run) == {one}


@pytest.mark.parametrize(("answer", "status", "is_left"), [("y", 0, False), ("n", 1, True), ("", 1, True)])
def test_a_terminal_is_asked(run: Run, ctxkit: str, home: Home, answer: str, status: int, is_left: bool) -> None:
    one = put(run, "1")
    main, terminal = pty.openpty()
    try:
        os.write(main, f"{answer}\n".encode())
        done = subprocess.run([ctxkit, "cache", "rm", "--all"], env=home, stdin=terminal, stdout=terminal, stderr=terminal)
        shown, question = "", f"ctxkit: Remove 1 blob, 1 byte, from {home['XDG_CACHE_HOME']}/ctxkit? [y/N] "
        while question not in shown and select.select([main], [], [], 10)[0]:  # the echo of the answer may come alone
            shown += os.read(main, 4096).decode()
    finally:
        os.close(terminal)
        os.close(main)
    assert question in shown
    assert (done.returncode, listed(run)) == (status, {one} if is_left else set())


def test_neither_refs_nor_all_and_both_are_refused(run: Run) -> None:
    one = put(run, "1")
    for args in ((), ("--all", one)):
        done = run("cache", "rm", *args)
        assert (done.status, done.out, done.err) == (2, b"", "ctxkit: name the refs to remove, or --all\n")
    assert listed(run) == {one}


def test_no_name_outside_the_cache_is_ever_removed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "keep").write_text("keep")
    for name in ("keep", "../keep", str(tmp_path / "keep"), "abc"):
        done = run("cache", "rm", name, cwd=tmp_path)
        assert done.status == 1
        assert done.err.startswith(f"ctxkit: {name} is not a ref\n")
    assert (tmp_path / "keep").exists()


def test_what_was_removed_can_be_stored_again(run: Run) -> None:
    one = put(run, "1")
    run("cache", "rm", one)
    assert put(run, "1") == one
    assert run("cache", "get", one).out == b"1"
