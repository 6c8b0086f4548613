"""Stored content is what its ref says, or it is said."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]


def put(run: Run, content: bytes) -> tuple[str, Path]:
    ref = run("cache", "put", stdin=content).out.decode().strip()
    return ref, Path(run("cache", "path", ref).out.decode().strip())


def test_what_is_whole_is_not_worth_a_word(run: Run) -> None:
    put(run, b"one")
    put(run, b"")
    done = run("cache", "verify")
    assert (done.status, done.out, done.err) == (0, b"", "")


def test_a_flipped_byte_is_found(run: Run) -> None:
    put(run, b"well")
    ref, path = put(run, b"bad" * 100)
    path.write_bytes(b"bae" + b"bad" * 99)
    found = hashlib.sha256(b"bae" + b"bad" * 99).hexdigest()[:16]
    done = run("cache", "verify")
    assert (done.status, done.out.decode(), done.err) == (1, f"{ref}  holds bytes whose SHA-256 is {found}\n", "")
    answer = json.loads(run("cache", "verify", "--json").out)
    assert (answer["ref"], answer["problem"]) == (ref, f"holds bytes whose SHA-256 is {found}")


def test_a_file_cut_short_is_found(run: Run) -> None:
    ref, path = put(run, b"bad" * 100)
    path.write_bytes(b"")
    done = run("cache", "verify")
    assert done.status == 1
    assert done.out.startswith(ref.encode())


def test_verifying_does_not_keep_content_young(run: Run) -> None:
    put(run, b"x")
    before = json.loads(run("cache", "list", "--json").out)["read"]
    run("cache", "verify")
    assert json.loads(run("cache", "list", "--json").out)["read"] == before


def test_a_damaged_blob_can_be_removed(run: Run) -> None:
    ref, path = put(run, b"x")
    path.write_bytes(b"y")
    assert run("cache", "rm", ref).status == 0
    assert run("cache", "verify").status == 0
