"""Content is stored in the first place that works, and found wherever it is."""

import json
import os
import shutil
import subprocess
from binascii import crc32
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Home = dict[str, str]
SIZED = ("--window", "2000", "--tokenizer", "bytes/3")
TEXT = b"".join(b"row %d of the report holds %d\n" % (row, row * 7919 % 1000) for row in range(400))


def private_name(home: Home) -> str:
    """Return the name of the directory of this user and this home."""
    user = f"ctxkit-{os.geteuid()}" if hasattr(os, "geteuid") else "ctxkit"
    return f"{user}-{crc32(os.fsencode(home['HOME'])):08x}"


@pytest.fixture
def blocked(home: Home, tmp_path: Path) -> Home:
    """The environment of a user whose cache cannot be made: root is stopped by a file in the way, too."""
    (tmp_path / "file").write_text("")
    return {"XDG_CACHE_HOME": str(tmp_path / "file")}


def ref_in(text: bytes) -> str:
    return text.decode().partition("cache get ")[2][:16]


@pytest.mark.slow
def test_where_the_cache_cannot_be_used_content_is_stored_for_the_user_alone_and_said_once(
    run: Run, home: Home, blocked: Home
) -> None:
    done = run("gate", *SIZED, stdin=TEXT, env=blocked)
    private = Path(home["TMPDIR"]) / private_name(home)
    ref = ref_in(done.out)
    assert done.err == (
        f"ctxkit: warning: Not a directory: {blocked['XDG_CACHE_HOME']}/ctxkit; content is stored in {private} instead\n"
    )
    assert oct(private.stat().st_mode & 0o777) == "0o700"
    assert run("cache", "get", ref, env=blocked).out == TEXT
    path = run("cache", "path", ref, env=blocked).out.decode().strip()
    assert path.startswith(f"{private}/blobs/")
    command = done.out.decode().rpartition("(or: ")[2].rstrip().removesuffix(")")
    shown = subprocess.run(["sh", "-c", command], capture_output=True, check=True)
    assert shown.stdout == b"".join(TEXT.splitlines(keepends=True)[: shown.stdout.count(b"\n")]) != b""
    again = run("gate", *SIZED, stdin=TEXT + b"more\n", env=blocked)
    assert (again.status, again.err) == (0, "")


@pytest.mark.slow
def test_each_verb_says_where_content_is(run: Run, home: Home, blocked: Home) -> None:
    ref = run("cache", "put", "--name", "x", stdin=TEXT, env=blocked).out.decode().strip()
    where = f"{home['TMPDIR']}/{private_name(home)}"
    assert run("cache", "list", env=blocked).out.decode().endswith(f"  x  (in {where})\n")
    assert json.loads(run("cache", "list", "--json", env=blocked).out)["directory"] == where
    assert f"(in {where})" in run("cache", "search", "report", env=blocked).out.decode()
    assert json.loads(run("cache", "search", "report", "--json", env=blocked).out.splitlines()[0])["directory"] == where
    assert f"1 blob, 12 KB, in {where}\n" in run("cache", "stat", env=blocked).out.decode()
    assert run("cache", "verify", env=blocked).status == 0
    assert run("cache", "get", ref, "--grep", "row 399 ", env=blocked).out.startswith(b"row 399 ")
    assert run("cache", "get", ref, "-v", env=blocked).err == f"ctxkit: read from {where}/blobs/{ref[:2]}/{ref}*\n"


@pytest.mark.slow
def test_a_session_has_a_place_of_its_own_and_others_find_what_is_there(run: Run, home: Home, blocked: Home) -> None:
    ref = ref_in(run("gate", *SIZED, stdin=TEXT, env={**blocked, "CTXKIT_SESSION": "s"}).out)
    assert (Path(home["TMPDIR"]) / f"{private_name(home)}-s").is_dir()
    for session in ("", "s", "t", "../../escape"):
        assert run("cache", "get", ref, env={**blocked, "CTXKIT_SESSION": session}).out == TEXT
    assert sorted(os.listdir(home["TMPDIR"])) == [f"{private_name(home)}-s"]


def test_content_is_found_in_the_default_place_when_another_is_configured(run: Run, tmp_path: Path) -> None:
    ref = run("cache", "put", stdin="x").out.decode().strip()
    elsewhere = {"CTXKIT_CACHE_DIR": str(tmp_path / "elsewhere")}
    assert run("cache", "get", ref, env=elsewhere).out == b"x"
    other = run("cache", "put", stdin="y", env=elsewhere).out.decode().strip()
    assert run("cache", "get", other).status == 1
    (tmp_path / "file").write_text("")
    third = run("cache", "put", stdin="z", env={"CTXKIT_CACHE_DIR": str(tmp_path / "file")}).out.decode().strip()
    assert run("cache", "get", third).out == b"z"


def test_all_that_is_listed_can_be_removed(run: Run, home: Home, blocked: Home) -> None:
    run("cache", "put", stdin="x", env=blocked)
    run("cache", "put", stdin="y", env={**blocked, "CTXKIT_SESSION": "s"})
    done = run("cache", "rm", "--all", "--yes", env=blocked)
    assert done.status == 0
    places = [f"{home['TMPDIR']}/{private_name(home)}{session}" for session in ("", "-s")]
    assert done.err == "".join(f"ctxkit: removed 1 blob, 1 byte, from {place}\n" for place in places)
    assert run("cache", "list", env=blocked).out == b""


@pytest.mark.parametrize("harm", ["loose", "link", "file"])
def test_a_place_that_somebody_else_prepared_is_refused_and_content_passes(
    run: Run, home: Home, blocked: Home, tmp_path: Path, harm: str
) -> None:
    private = Path(home["TMPDIR"]) / private_name(home)
    (tmp_path / "trap").mkdir(mode=0o700)
    if harm == "loose":
        private.mkdir()
        private.chmod(0o755)
    elif harm == "link":
        private.symlink_to(tmp_path / "trap")
    else:
        private.write_text("")
    done = run("gate", *SIZED, stdin=TEXT, env=blocked)
    assert (done.status, done.out) == (0, TEXT)
    assert done.err.startswith("ctxkit: warning: content passes unchanged: ")
    assert len(done.err.splitlines()) == 1
    assert list((tmp_path / "trap").iterdir()) == []
    assert run("gate", *SIZED, "--strict", stdin=TEXT, env=blocked).status == 74


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root, to give a directory away")
def test_a_place_of_another_user_is_refused(run: Run, home: Home, blocked: Home) -> None:
    private = Path(home["TMPDIR"]) / private_name(home)
    private.mkdir(mode=0o700)
    os.chown(private, 65534, 65534)
    assert run("gate", *SIZED, stdin=TEXT, env=blocked).out == TEXT
    assert list(private.iterdir()) == []


UNSHARE = shutil.which("unshare") and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not UNSHARE, reason="needs the right to mount")
def test_a_home_that_is_read_only_costs_a_warning_and_nothing_else(ctxkit: str, home: Home, tmp_path: Path) -> None:
    environ = {name: value for name, value in home.items() if not name.startswith("XDG_")}
    gate = f"{ctxkit} gate {' '.join(SIZED)}"
    script = f"""
        mount -t tmpfs -o ro tmpfs {home["HOME"]} && cd {home["HOME"]} || exit 99
        {gate} < {tmp_path}/text > {tmp_path}/map && {gate} --session s < {tmp_path}/text > {tmp_path}/second &&
        {ctxkit} cache list > {tmp_path}/list && {ctxkit} cache search report > {tmp_path}/found &&
        {ctxkit} session list && {ctxkit} cache gc && {ctxkit} cache rm --all --yes; echo $?
        {ctxkit} session new s --window 2000; echo $?"""
    (tmp_path / "text").write_bytes(TEXT)
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], env=environ, capture_output=True, text=True)
    assert done.stdout.splitlines()[-2:] == ["0", "74"], done.stderr
    warnings = [line for line in done.stderr.splitlines() if "warning" in line]
    assert ["content is stored in" in line for line in warnings] == [True, False]
    assert "session s cannot be used" in warnings[1]
    for name in ("map", "second"):
        assert ref_in((tmp_path / name).read_bytes()) in (tmp_path / "list").read_text()


NOBODY = ["setpriv", "--reuid", "54321", "--regid", "54321", "--clear-groups"]
"""A user that the system does not know."""


@pytest.mark.slow
@pytest.mark.parametrize("where", [None, "", "/", "/nonexistent"])
def test_without_a_home_content_is_stored_all_the_same(ctxkit: str, home: Home, tmp_path: Path, where: str | None) -> None:
    if not shutil.which("setpriv") or subprocess.run([*NOBODY, ctxkit, "--version"], capture_output=True).returncode:
        pytest.skip("needs root, and an interpreter that others can run")
    environ = {name: value for name, value in home.items() if name != "HOME" and not name.startswith("XDG_")}
    environ.update({} if where is None else {"HOME": where})
    tmp_path.chmod(0o755)
    for path in (*tmp_path.parents, Path(home["TMPDIR"]).parent):
        if not path.stat().st_mode & 0o001:
            path.chmod(path.stat().st_mode | 0o011)
    Path(home["TMPDIR"]).chmod(0o777)
    here = Path(home["TMPDIR"]) / "here"
    here.mkdir()
    here.chmod(0o777)
    gate = [*NOBODY, ctxkit, "gate", *SIZED]
    done = subprocess.run(gate, env=environ, input=TEXT, capture_output=True, cwd=here)
    read = subprocess.run([*NOBODY, ctxkit, "cache", "get", ref_in(done.stdout)], env=environ, capture_output=True, cwd=here)
    assert (read.stdout, read.returncode) == (TEXT, 0), done.stderr
    assert os.listdir(here) == []


@pytest.mark.slow
def test_what_is_named_can_be_read_beside_a_loop_of_collections(run: Run, ctxkit: str, home: Home) -> None:
    loop = f"while :; do {ctxkit} cache gc --max-size 0 && {ctxkit} cache gc --max-age 0s; done"
    collecting = subprocess.Popen(["sh", "-c", loop], env=home, stdout=subprocess.DEVNULL, process_group=0)
    try:
        for number in range(4):
            ref = ref_in(run("gate", *SIZED, stdin=TEXT + b"%d\n" % (number % 2)).out)
            assert run("cache", "get", ref).out == TEXT + b"%d\n" % (number % 2)
            os.utime(run("cache", "path", ref).out.decode().strip(), (0, 0))
    finally:
        os.killpg(collecting.pid, 9)
        collecting.wait()


def test_a_named_cache_directory_is_emptied_alone(run: Run, tmp_path: Path) -> None:
    named = {"CTXKIT_CACHE_DIR": str(tmp_path / "named")}
    ref = run("cache", "put", stdin=TEXT).out.decode().strip()
    run("cache", "put", stdin=b"other\n", env=named)
    assert run("cache", "rm", "--all", "--yes", env=named).status == 0
    assert run("cache", "gc", "--max-age", "0s", env=named).out.startswith(b"removed 0 blobs")
    assert run("cache", "get", ref, env=named).out == TEXT
    assert run("cache", "list", "--json").out.count(b"\n") == 1


def test_what_another_home_stored_is_neither_read_nor_removed(run: Run, home: Home, blocked: Home, tmp_path: Path) -> None:
    (tmp_path / "another").mkdir()
    other = {**blocked, "HOME": str(tmp_path / "another")}
    ref = run("cache", "put", stdin=TEXT, env=other).out.decode().strip()
    mine = run("cache", "put", stdin=b"mine\n", env=blocked).out.decode().strip()
    assert run("cache", "get", ref, env=blocked).status != 0
    assert run("cache", "list", env=blocked).out.decode().split()[0] == mine
    assert run("cache", "rm", "--all", "--yes", env=blocked).status == 0
    assert run("cache", "get", ref, env=other).out == TEXT
