"""What somebody else writes under the keys of a tenant: one damaged row is left out of a list, and all others are there."""

import hashlib
import json
from contextlib import closing
from typing import Any

import pytest

from tests.conftest import Run
from tests.redis_servers import Server

GOOD = b"a good line\n"
CHAT = json.dumps([{"role": "user", "content": "fix the bug"}, {"role": "assistant", "content": "done"}]).encode()
HUGE = "x" * 3_000_000
BAD_BLOB = "ab" * 32
BLOB, BLOB_INDEX = f"ctxkit:{{ababab}}:blob:{BAD_BLOB}", "ctxkit:{blobs}"
SESSION, SESSIONS = "ctxkit:{session bad}:fields", "ctxkit:{sessions}"
FACTS, SNAPSHOTS = "ctxkit:{session bad}:snapshots", "ctxkit:{snapshots}"
BLOB_FIELDS = {"size": "5", "created": "1e9", "read": "1e9", "name": "n", "tool": "", "call": "", "session": ""}
SESSION_FIELDS = {"name": "bad", "window": "9", "reserve": "1", "model": "", "tokenizer": "", "used": "1", "created": "1e9", "updated": "1e9", "version": "1"}
BLOBS = [
    *[("HSET", BLOB, field, value) for field, value in [("size", "many"), ("size", "-5"), ("size", "9" * 5_000), ("created", "nan"), ("read", "inf"), ("created", "1e300"), ("name", HUGE), ("name", b"\xff\x1b[31m"), ("tool", b"\xff")]],
    ("SET", BLOB, "a text"), ("ZADD", BLOB_INDEX, 1, b"\xff\xfe"), ("ZADD", BLOB_INDEX, 1, "\x1b[31mred"), ("ZADD", BLOB_INDEX, 1, "../../x"),
]  # fmt: skip
SESSION_ROWS = [
    *[("HSET", SESSION, field, value) for field, value in [("used", "many"), ("window", "-1"), ("created", "nan"), ("updated", "1e300"), ("model", b"\xff"), ("name", "other")]],
    ("HDEL", SESSION, "version"), ("SET", SESSION, "a text"), ("HSET", "ctxkit:{session bad}:holds", "1", "garbage"), ("ZADD", SESSIONS, 1, b"\xff"), ("ZADD", SESSIONS, 1, "\x1b[31mred"),
]  # fmt: skip
SNAPSHOT_ROWS = [
    *[("LPUSH", FACTS, row) for row in ("", "garbage", '1e9 ["openai", "many", 5, "exact", 0, 0]', "1e9 {}", 'nan ["openai", 1, 5, "exact", 0, 0]', "1e9 " + "[" * 90_000, HUGE)],
    ("SET", FACTS, "a text"), ("SADD", SNAPSHOTS, b"\xff"), ("SADD", SNAPSHOTS, "\x1b[31mred"),
]  # fmt: skip


@pytest.fixture
def server(empty_redis_server: Server) -> Server:
    return empty_redis_server


def write(server: Server, *commands: tuple[Any, ...]) -> None:
    import redis

    with closing(redis.Redis.from_url(server.url)) as client:
        for words in commands:
            if words[0] == "SET":
                client.delete(words[1])
            client.execute_command(*words)


def list_pairs(fields: dict[str, str]) -> list[str]:
    return [word for pair in fields.items() for word in pair]


def check(run: Run, server: Server, good: bytes, *words: str) -> None:
    """Check that a list has the good row, and one line about the damaged one at most."""
    for output in ((), ("--json",)):
        done = run(*words, *output, env={"CTXKIT_STORE": server.url})
        assert done.status == 0, done.err
        assert good in done.out
        assert b"\x1b" not in done.out
        assert "Traceback" not in done.err
        assert "\x1b" not in done.err
        assert done.err.count("\n") <= 1


@pytest.mark.parametrize("bad", BLOBS, ids=lambda words: ascii(words[2:])[:40])
def test_damaged_content_breaks_one_row(run: Run, server: Server, bad: tuple[Any, ...]) -> None:
    ref = run("cache", "put", stdin=GOOD, env={"CTXKIT_STORE": server.url}).out.strip()
    write(server, ("HSET", BLOB, *list_pairs(BLOB_FIELDS)), ("ZADD", BLOB_INDEX, 1, BAD_BLOB), bad)
    check(run, server, ref[:12], "cache", "list")
    for verb in ("stat", "gc"):
        assert run("cache", verb, env={"CTXKIT_STORE": server.url}).status == 0


@pytest.mark.parametrize("bad", SESSION_ROWS, ids=lambda words: ascii(words[2:])[:40])
def test_a_damaged_session_breaks_one_row(run: Run, server: Server, bad: tuple[Any, ...]) -> None:
    env = {"CTXKIT_STORE": server.url}
    assert run("session", "new", "good", "--window", "9000", env=env).status == 0
    write(server, ("HSET", SESSION, *list_pairs(SESSION_FIELDS)), ("ZADD", SESSIONS, 9, "bad"), bad)
    check(run, server, b"good", "session", "list")
    gated = run("gate", "--session", "bad", "--window", "9000", stdin=GOOD, env=env)
    assert (gated.status, gated.out) == (0, GOOD)
    assert run("session", "rm", "bad", env=env).status in (0, 1)
    assert b"good" in run("session", "list", env=env).out


@pytest.mark.parametrize("bad", SNAPSHOT_ROWS, ids=lambda words: ascii(words[2:])[:40])
def test_a_damaged_snapshot_breaks_one_row(run: Run, server: Server, bad: tuple[Any, ...]) -> None:
    env = {"CTXKIT_STORE": server.url}
    assert run("session", "new", "good", "--window", "9000", env=env).status == 0
    assert run("snapshot", "save", "good", stdin=CHAT, env=env).status == 0
    write(server, ("SADD", SNAPSHOTS, "bad"), bad)
    check(run, server, b"good", "snapshot", "list")
    assert b"fix the bug" in run("snapshot", "load", "good", env=env).out
    assert run("snapshot", "load", "bad", env=env).status in (1, 66, 74)


def test_an_entry_that_is_damaged_is_left_out(run: Run, server: Server) -> None:
    env = {"CTXKIT_STORE": server.url}
    for content in (GOOD, GOOD * 2):
        assert run("gate", "--session", "s", "--window", "9000", "--tokenizer", "qwen3", stdin=content, env=env).status == 0
    write(server, *[("RPUSH", "ctxkit:{session s}:items", row) for row in ("", "1e9 {}", "1e9 [1]", "x []", b"\xff")])
    write(server, *[("RPUSH", "ctxkit:{session s}:changes", row) for row in ("", "1e9 x reset a b")])
    assert run("session", "status", "s", "--json", env=env).status == 0
    assert run("gate", "--session", "s", "--tokenizer", "qwen3", stdin=GOOD * 3, env=env).status == 0


@pytest.mark.parametrize(("field", "value"), [("0", HUGE), ("size", "many")])
def test_content_whose_fields_are_damaged_is_an_error(run: Run, server: Server, field: str, value: str) -> None:
    env = {"CTXKIT_STORE": server.url}
    ref = run("cache", "put", stdin=GOOD, env=env).out.decode().strip()
    full = hashlib.sha256(GOOD).hexdigest()
    write(server, ("HSET", f"ctxkit:{{{full[:6]}}}:blob:{full}", field, value))
    done = run("cache", "get", ref, env=env)
    assert done.status in (1, 74)
    assert (done.out, "Traceback" in done.err) == (b"", False)
