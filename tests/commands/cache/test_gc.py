"""What is old or too much goes, the oldest read first."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Home = dict[str, str]
HOUR, DAY = 3600, 86400


def put(run: Run, content: bytes | str, age: float = 0) -> str:
    ref: str = run("cache", "put", stdin=content).out.decode().strip()
    if age:
        read_ago(run, ref, age)
    return ref


def read_ago(run: Run, ref: str, age: float) -> None:
    then = time.time() - age
    os.utime(run("cache", "path", ref).out.decode().strip(), (then, then))


def listed(run: Run) -> set[str]:
    return {row.split()[0] for row in run("cache", "list").out.decode().splitlines()}


@pytest.mark.slow
def test_what_was_not_read_for_that_long_goes(run: Run) -> None:
    old, new = put(run, "old", 25 * HOUR), put(run, "new", 23 * HOUR)
    done = run("cache", "gc", "--max-age", "24h")
    assert (done.status, done.out, done.err) == (0, b"removed 1 blob, 3 bytes\n", "")
    assert listed(run) == {new}
    assert run("cache", "get", old).status == 1


def test_above_the_size_the_oldest_read_go_first(run: Run) -> None:
    blobs = [put(run, bytes([65 + n]) * 1000, (5 - n) * HOUR) for n in range(4)]
    done = run("cache", "gc", "--max-size", "2KB", "--json")
    assert json.loads(done.out) == {"removed": 2, "bytes": 2000, "young": 0}
    assert listed(run) == set(blobs[2:])


def test_reading_keeps_content_young(run: Run) -> None:
    read, unread = put(run, "read", 10 * DAY), put(run, "unread", 10 * DAY)
    assert run("cache", "get", read).out == b"read"
    run("cache", "gc", "--max-age", "1d")
    assert listed(run) == {read}
    assert unread not in listed(run)


def test_storing_again_keeps_content_young(run: Run) -> None:
    again = put(run, "again", 10 * DAY)
    put(run, "again")
    run("cache", "gc", "--max-age", "1d")
    assert listed(run) == {again}


def test_the_settings_hold_when_nothing_is_said(run: Run) -> None:
    old, new = put(run, "old", 8 * DAY), put(run, "new", 6 * DAY)
    assert run("cache", "gc").out == b"removed 1 blob, 3 bytes\n"
    assert listed(run) == {new}
    assert run("cache", "gc", env={"CTXKIT_CACHE_MAX_AGE": "5d"}).out == b"removed 1 blob, 3 bytes\n"
    assert old not in listed(run)


@pytest.mark.slow
def test_a_gate_collects_by_itself_once_an_hour(run: Run, home: Home) -> None:
    old = put(run, "old", 8 * DAY)
    for stamp in Path(home["XDG_CACHE_HOME"]).rglob("tidied"):
        os.utime(stamp, (time.time() - 2 * HOUR,) * 2)
    run("gate", "--window", "1000", "--tokenizer", "bytes/3", stdin="some words\n" * 999)
    assert old not in listed(run)
    again = put(run, "old", 8 * DAY)
    run("gate", "--window", "1000", "--tokenizer", "bytes/3", stdin="more words\n" * 999)
    assert again in listed(run)


def test_an_empty_cache_has_nothing_to_remove(run: Run) -> None:
    done = run("cache", "gc")
    assert (done.status, done.out, done.err) == (0, b"removed 0 blobs, 0 bytes\n", "")


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("option", ["--max-size", "--max-age"])
def test_zero_removes_all_but_what_was_stored_or_read_in_the_last_ten_minutes(run: Run, option: str) -> None:
    put(run, "old", 11 * 60)
    new, read, again = put(run, "new", 9 * 60), put(run, "read", DAY), put(run, "again", DAY)
    run("cache", "get", read)
    put(run, "again")
    done = run("cache", "gc", option, "0")
    assert done.out == b"removed 1 blob, 3 bytes; left 3 stored or read in the last ten minutes\n"
    assert listed(run) == {new, read, again}
    assert json.loads(run("cache", "gc", option, "0", "--json").out) == {"removed": 0, "bytes": 0, "young": 3}


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--max-age", "soon"),
        ("--max-age", "5y"),
        ("--max-age", "-1h"),
        ("--max-age", ""),
        ("--max-size", "big"),
        ("--max-size", "1XB"),
        ("--max-size", "nan"),
        ("--max-size", "1e308TB"),
    ],
)
def test_a_quantity_that_is_none_is_refused_and_nothing_goes(run: Run, option: str, value: str) -> None:
    ref = put(run, "x", 30 * DAY)
    done = run("cache", "gc", f"{option}={value}")
    assert (done.status, done.out) == (2, b"")
    assert done.err.startswith(f"ctxkit: {option}: ")
    assert listed(run) == {ref}
