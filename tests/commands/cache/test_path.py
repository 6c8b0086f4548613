"""The plain file behind a ref."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Home = dict[str, str]


def test_the_path_is_a_plain_file_that_cat_and_sed_read(run: Run) -> None:
    content = b"one\n\xfftwo\nthree"
    ref = run("cache", "put", stdin=content).out.decode().strip()
    done = run("cache", "path", ref[:8])
    assert (done.status, done.err) == (0, "")
    path = done.out.decode().removesuffix("\n")
    assert Path(path).read_bytes() == content
    assert subprocess.run(["sed", "-n", "2p", path], capture_output=True).stdout == b"\xfftwo\n"


def test_an_absent_ref_has_no_path(run: Run) -> None:
    done = run("cache", "path", "abcdef")
    assert (done.status, done.out) == (1, b"")
    assert done.err == "ctxkit: nothing is stored under abcdef\n  hint: ctxkit cache list shows all content\n"


@pytest.mark.parametrize(
    "wanted", ["../../etc/passwd", "/etc/passwd", "aabbcc/../../../x", "*", "......", "aabbc", "-"]
)
def test_no_name_ever_leaves_the_cache(run: Run, wanted: str) -> None:
    run("cache", "put", stdin="x")
    done = run("cache", "path", "--", wanted)
    assert (done.status, done.out) == (1, b"")
    assert done.err == f"ctxkit: {wanted} is not a ref\n  hint: a ref has at least 6 hex digits: ctxkit cache list\n"


def test_a_path_is_one_line_whatever_is_in_it(run: Run, tmp_path: Path) -> None:
    place = {"CTXKIT_CACHE_DIR": str(tmp_path / "a b'c")}
    ref = run("cache", "put", stdin="x", env=place).out.decode().strip()
    path = run("cache", "path", ref, env=place).out.decode().removesuffix("\n")
    assert path.startswith(f"{tmp_path}/a b'c/")
    assert Path(path).read_text() == "x"


def test_a_relative_cache_gives_a_path_that_holds_elsewhere_too(run: Run, tmp_path: Path) -> None:
    place = {"CTXKIT_CACHE_DIR": "kept"}
    ref = run("cache", "put", stdin="x", cwd=tmp_path, env=place).out.decode().strip()
    path = run("cache", "path", ref, cwd=tmp_path, env=place).out.decode().removesuffix("\n")
    assert Path(path).is_absolute()
