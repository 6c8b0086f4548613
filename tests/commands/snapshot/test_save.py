"""A snapshot is saved as it is, and described."""

import json

import pytest

from tests.commands.snapshot.talk import SHORT, status
from tests.conftest import Run


def test_it_is_described(run: Run) -> None:
    saved = json.loads(run("snapshot", "save", "s", "--json", stdin=SHORT).out)
    tokens = int(run("count", "--input", "chat", "--tokenizer", "bytes/3", stdin=SHORT).out)
    created = saved.pop("created")
    assert saved == {
        "session": "s",
        "number": 1,
        "format": "openai",
        "messages": 1,
        "tokens": tokens,
        "method": "estimate",
        "covers": 2,
    }
    assert abs(created - status(run)["updated"]) < 60
    assert json.loads(run("snapshot", "load", "s", "--json").out) == {**saved, "created": created}
    assert json.loads(run("snapshot", "list", "--json").out) == {**saved, "created": created}
    row = run("snapshot", "list").out.decode()
    assert row.split()[:3] == ["s", str(tokens), "1"]
    assert row.endswith("openai        for 2 lines\n")


def test_a_compaction_is_booked_only_when_it_is_one(run: Run) -> None:
    before = status(run)
    run("snapshot", "save", "s", stdin=SHORT)
    assert status(run) == before
    tokens = json.loads(run("snapshot", "save", "s", "--compacted", "--json", stdin=SHORT).out)["tokens"]
    after = status(run)
    assert (after["used"], after["estimated"], after["compactions"]) == (tokens, tokens, 1)


@pytest.mark.slow
def test_what_it_mentions_is_not_collected(run: Run, collect) -> None:
    ref = run("cache", "put", stdin=b"stored").out.decode().strip()
    run("cache", "put", stdin=b"nobody's")
    run("snapshot", "save", "s", stdin=b'{"role":"user","content":"ctxkit cache get %s"}' % ref.encode())
    collect()
    assert run("cache", "get", ref).out == b"stored"
    assert len(run("cache", "list").out.splitlines()) == 1
    run("session", "rm", "s")
    collect()
    assert run("cache", "get", ref).status == 1


@pytest.mark.parametrize("data", [b"", b'{"a":1}'])
def test_what_is_no_conversation_is_not_saved(run: Run, data: bytes) -> None:
    assert run("snapshot", "save", "s", stdin=data).status == 65
    assert run("snapshot", "list").out == b""
