"""What is stored, the newest first."""

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]
Home = dict[str, str]


def put(run: Run, content: str, age: float = 0, *args: str) -> str:
    ref: str = run("cache", "put", *args, stdin=content).out.decode().strip()
    if age:
        path = run("cache", "path", ref).out.decode().strip()
        os.utime(path, (time.time() - age, time.time() - age))
    return ref


def test_an_empty_cache_lists_nothing(run: Run) -> None:
    for args in ((), ("--json",)):
        done = run("cache", "list", *args)
        assert (done.status, done.out, done.err) == (0, b"", "")


def test_the_newest_comes_first(run: Run) -> None:
    oldest, newest, middle = put(run, "a", 900), put(run, "b"), put(run, "c", 300)
    rows = run("cache", "list").out.decode().splitlines()
    assert [row.split()[0] for row in rows] == [newest, middle, oldest]


def test_a_row_has_ref_size_time_and_labels(run: Run) -> None:
    ref = put(run, "x" * 2000, 0, "--tool", "grep", "--call", "c1", "--name", "hits")
    row = run("cache", "list").out.decode()
    assert re.fullmatch(rf"{ref} +2\.0 KB  \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d  grep  c1  hits\n", row), row


def test_json_is_one_object_a_line(run: Run) -> None:
    before = time.time()
    put(run, "ab", 0, "--tool", "grep")
    (line,) = run("cache", "list", "--json").out.splitlines()
    found = json.loads(line)
    assert (found["bytes"], found["tool"], found["ref"]) == (2, "grep", found["sha256"][:16])
    assert len(found["sha256"]) == 64
    assert before - 1 <= found["created"] <= time.time() + 1
    assert not {"name", "call"} & set(found)


def test_a_name_stays_on_its_line_and_does_nothing_to_the_terminal(run: Run) -> None:
    put(run, "x", 0, "--name", "two\nlines\x1b[31m\x1b]0;title\x07")
    out = run("cache", "list").out
    assert out.count(b"\n") == 1
    assert b"\x1b" not in out
    assert b"\x07" not in out


def test_stray_files_are_no_blobs(run: Run, home: Home) -> None:
    ref = put(run, "x")
    blob = Path(run("cache", "path", ref).out.decode().strip())
    (blob.parent / "notes.txt").write_text("not ours")
    (blob.parent.parent / ".DS_Store").write_text("not ours")
    assert [row.split()[0] for row in run("cache", "list").out.decode().splitlines()] == [ref]
    assert run("cache", "verify").status == 0


def test_a_damaged_index_is_set_aside_once_and_content_stays(run: Run, home: Home) -> None:
    ref = put(run, "precious", 0, "--name", "label")
    (index,) = Path(home["XDG_DATA_HOME"]).rglob("ctxkit.db")
    for other in index.parent.glob("ctxkit.db-*"):
        other.unlink()
    index.write_bytes(b"this is no database" * 500)
    first, second = run("cache", "list"), run("cache", "list")
    assert first.status == second.status == 0
    assert re.fullmatch(
        r"ctxkit: warning: ctxkit\.db was damaged; it is set aside as \S+ctxkit\.db\.damaged-\d+ and begun anew"
        r" \(stored content and histories are intact; names, snapshots and what sessions have used begin anew\)\n",
        first.err,
    ), first.err
    assert second.err == ""
    assert first.out == second.out
    assert first.out.startswith(ref.encode())
    assert run("cache", "get", ref).out == b"precious"
    (aside,) = index.parent.glob("ctxkit.db.damaged-*")
    assert aside.read_bytes() == b"this is no database" * 500


def test_an_index_that_is_gone_costs_the_labels_alone(run: Run, home: Home) -> None:
    ref = put(run, "precious", 0, "--name", "label")
    for file in Path(home["XDG_DATA_HOME"]).rglob("ctxkit.db*"):
        file.unlink()
    done = run("cache", "list")
    assert (done.status, done.err) == (0, "")
    assert done.out.decode().split()[0] == ref
    assert run("cache", "get", ref).out == b"precious"


def test_a_gate_meets_a_damaged_index_and_answers_all_the_same(run: Run, home: Home) -> None:
    put(run, "x")
    (index,) = Path(home["XDG_DATA_HOME"]).rglob("ctxkit.db")
    for other in index.parent.glob("ctxkit.db-*"):
        other.unlink()
    index.write_bytes(b"this is no database" * 500)
    done = run("gate", "--window", "1000", "--tokenizer", "bytes/3", stdin="some words\n" * 999)
    assert done.status == 0
    assert b"ctxkit cache get " in done.out
    assert done.err.startswith("ctxkit: warning: ctxkit.db was damaged; ")
    assert done.err.count("\n") == 1
