"""Content goes in, its ref comes out."""

import hashlib
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Home = dict[str, str]


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"line\n" * 9, b"\x00\xff\r\n\x1b[0m", "größe".encode("utf-16"), bytes(range(256)) * 20_000],
    ids=["nothing", "no newline", "lines", "odd bytes", "UTF-16", "5 MB"],
)
def test_the_ref_is_the_sha256_and_gives_every_byte_back(run: Run, content: bytes) -> None:
    done = run("cache", "put", stdin=content)
    assert (done.status, done.err) == (0, "")
    assert done.out.decode() == hashlib.sha256(content).hexdigest()[:16] + "\n"
    got = run("cache", "get", done.out.decode().strip())
    assert (got.status, got.out, got.err) == (0, content, "")


def test_a_file_is_stored_under_its_name(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"notes")
    done = run("cache", "put", "notes.txt", cwd=tmp_path)
    assert done.status == 0
    assert json.loads(run("cache", "list", "--json").out)["name"] == "notes.txt"
    (tmp_path / "notes.txt").unlink()
    assert run("cache", "get", done.out.decode().strip()).out == b"notes"


def test_tool_call_and_name_are_kept(run: Run) -> None:
    run("cache", "put", "--tool", "read_file", "--call", "call_17", "--name", "main.py", stdin="x")
    found = json.loads(run("cache", "list", "--json").out)
    assert (found["tool"], found["call"], found["name"]) == ("read_file", "call_17", "main.py")


def test_json_has_the_ref_in_both_lengths_and_the_size(run: Run) -> None:
    digest = hashlib.sha256(b"x").hexdigest()
    done = run("cache", "put", "--json", stdin="x")
    assert json.loads(done.out) == {"ref": digest[:16], "sha256": digest, "bytes": 1}


def test_the_same_content_twice_is_one_blob_and_the_last_label_counts(run: Run) -> None:
    first = run("cache", "put", "--name", "one", stdin="same")
    second = run("cache", "put", "--name", "two", stdin="same")
    assert first.out == second.out
    listed = run("cache", "list", "--json").out.splitlines()
    assert [json.loads(line)["name"] for line in listed] == ["two"]


def test_content_put_again_mends_what_was_damaged(run: Run) -> None:
    ref = run("cache", "put", stdin=b"all is well\n").out.decode().strip()
    path = Path(run("cache", "path", ref).out.decode().strip())
    path.write_bytes(b"all is lost\n")
    assert run("cache", "put", stdin=b"all is well\n").status == 0
    assert run("cache", "get", ref).out == b"all is well\n"
    assert run("cache", "verify").status == 0


def test_nothing_half_taken_stays_behind(run: Run, home: Home) -> None:
    run("cache", "put", stdin="x")
    run("cache", "put", stdin="x")
    files = [path for path in Path(home["XDG_CACHE_HOME"]).rglob("*") if path.is_file() and path.name != "tidied"]
    assert [path.name for path in files] == [hashlib.sha256(b"x").hexdigest()]


def test_a_missing_file_is_named(run: Run) -> None:
    done = run("cache", "put", "nowhere")
    assert (done.status, done.out, done.err) == (66, b"", "ctxkit: nowhere: No such file or directory\n")


def test_a_place_that_cannot_be_written_is_an_io_failure(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    nowhere = {name: str(tmp_path / "file") for name in ("XDG_CACHE_HOME", "TMPDIR")}
    done = run("cache", "put", stdin="x", env=nowhere)
    assert (done.status, done.out) == (74, b"")
    assert re.fullmatch(r"ctxkit: Not a directory: .*\n", done.err), done.err


def test_the_cache_may_be_elsewhere(run: Run, tmp_path: Path) -> None:
    elsewhere = {"CTXKIT_CACHE_DIR": str(tmp_path / "mine")}
    ref = run("cache", "put", stdin="x", env=elsewhere).out.decode().strip()
    assert run("cache", "get", ref, env=elsewhere).out == b"x"
    assert run("cache", "get", ref).status == 1
    assert (tmp_path / "mine").is_dir()


def test_a_closed_stdin_is_said(ctxkit: str, home: Home) -> None:
    done = subprocess.run(["bash", "-c", f"{ctxkit} cache put <&-"], capture_output=True, env=home)
    assert (done.returncode, done.stdout, done.stderr) == (66, b"", b"ctxkit: stdin is closed\n")
