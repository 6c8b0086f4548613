"""Two tenants of one real server, with the rights that docs/fleet.md names: each does all of its work, and none of the other's."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run
from tests.redis_servers import Server, run_server

LARGE = b"".join(b"line %d of the log\n" % number for number in range(9_000))
SMALL = b"a line\n" * 40
FOREIGN = "blue:{x}:secret"
CHAT = json.dumps([{"role": "user", "content": "fix the bug"}, {"role": "assistant", "content": "done"}]).encode()
NAMES = ("red", "blue")
SEES = {
    **{name: (name,) for name in ("RANDOMKEY", "DBSIZE")},
    "SCAN": ("SCAN", 0), "SCAN MATCH": ("SCAN", 0, "MATCH", "*"), "KEYS": ("KEYS", "*"), "SCRIPT SCAN": ("EVAL", "return redis.call('SCAN', 0)", 0),
    "SCRIPT KEYS": ("EVAL", "return redis.call('KEYS', '*')", 0), "SCRIPT RANDOMKEY": ("EVAL", "return redis.call('RANDOMKEY')", 0),
    "SCRIPT DBSIZE": ("EVAL", "return redis.call('DBSIZE')", 0), "GET": ("GET", FOREIGN), "EXISTS": ("EXISTS", FOREIGN), "TYPE": ("TYPE", FOREIGN),
    "DUMP": ("DUMP", FOREIGN), "OBJECT": ("OBJECT", "ENCODING", FOREIGN), "MEMORY USAGE": ("MEMORY", "USAGE", FOREIGN),
    "EVAL KEYS": ("EVAL", "return redis.call('GET', KEYS[1])", 1, FOREIGN), "EVAL ARGV": ("EVAL", "return redis.call('GET', ARGV[1])", 0, FOREIGN),
    "EVAL_RO": ("EVAL_RO", "return redis.call('GET', KEYS[1])", 1, FOREIGN), "COPY": ("COPY", FOREIGN, "red:mine"),
    "TRACKING": ("CLIENT", "TRACKING", "ON", "BCAST"), "CLIENT LIST": ("CLIENT", "LIST"), "MONITOR": ("MONITOR",), "SLOWLOG": ("SLOWLOG", "GET"),
    "ACL LIST": ("ACL", "LIST"), "CONFIG GET": ("CONFIG", "GET", "*"), "SUBSCRIBE": ("SUBSCRIBE", "__keyspace@0__:*"), "PUBSUB": ("PUBSUB", "CHANNELS"),
    "INFO": ("INFO", "keyspace"), "SORT": ("SORT", "red:list", "GET", "blue:*"),
}  # fmt: skip
"""Commands that would show what is another tenant's."""
CHANGES = {
    "SET": ("SET", FOREIGN, "x"), "DEL": ("DEL", FOREIGN), "UNLINK": ("UNLINK", FOREIGN), "EXPIRE": ("EXPIRE", FOREIGN, 1),
    "RENAME": ("RENAME", FOREIGN, "red:mine"), "EVAL": ("EVAL", "return redis.call('DEL', KEYS[1])", 1, FOREIGN),
    "EVAL ARGV": ("EVAL", "return redis.call('DEL', ARGV[1])", 0, FOREIGN), "FLUSHDB": ("FLUSHDB",), "FLUSHALL": ("FLUSHALL",),
    "SCRIPT FLUSHDB": ("EVAL", "return redis.call('FLUSHDB')", 0), "SWAPDB": ("SWAPDB", 0, 1), "SCRIPT FLUSH": ("SCRIPT", "FLUSH"),
    "SCRIPT KILL": ("SCRIPT", "KILL"), "FUNCTION DELETE": ("FUNCTION", "DELETE", "library"), "FUNCTION FLUSH": ("FUNCTION", "FLUSH"),
    "FUNCTION LOAD": ("FUNCTION", "LOAD", "#!lua name=a\nredis.register_function('b', function() return 1 end)"),
    "FCALL": ("FCALL", "f", 0), "FCALL_RO": ("FCALL_RO", "f", 0), "CONFIG SET": ("CONFIG", "SET", "maxmemory", "1"), "SHUTDOWN": ("SHUTDOWN",),
    "CLIENT KILL": ("CLIENT", "KILL", "TYPE", "normal"), "CLIENT PAUSE": ("CLIENT", "PAUSE", 1), "ACL SETUSER": ("ACL", "SETUSER", "red", "+@all"),
    "REPLICAOF": ("REPLICAOF", "127.0.0.1", 1), "DEBUG": ("DEBUG", "SLEEP", 0), "PUBLISH": ("PUBLISH", "c", "x"), "SAVE": ("SAVE",),
}  # fmt: skip
"""Commands that would change what is another tenant's, or everybody's."""


def read_rule() -> str:
    """Return the documented rights of a tenant."""
    page = (Path(__file__).parents[1] / "docs" / "fleet.md").read_text()
    return re.search(r"^ACL SETUSER (.*)$", page, re.MULTILINE)[1]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server with two tenants, and a function and a key of one of them."""
    users = [word for name in NAMES for word in ("--user", *read_rule().replace("team", name).split())]
    with run_server("--requirepass", "secret", *users) as running:
        execute(running, "default", "FUNCTION", "LOAD", "#!lua name=library\nredis.register_function{function_name='f', callback=function() return 1 end, flags={'no-writes'}}")
        execute(running, "blue", "SET", FOREIGN, "sesame")
        yield running


def execute(server: Server, user: str, *words: Any) -> Any:
    import redis

    password = "secret" if user == "default" else "PASSWORD"
    with closing(redis.Redis(port=server.port, username=user, password=password, socket_timeout=10)) as client:
        return client.execute_command(*words)


def find_url(server: Server, name: str) -> str:
    return f"redis://{name}:PASSWORD@127.0.0.1:{server.port}?prefix={name}"


@pytest.mark.parametrize("words", SEES.values(), ids=SEES)
def test_a_tenant_sees_nothing_of_another(server: Server, words: tuple[Any, ...]) -> None:
    from redis.exceptions import ResponseError

    with pytest.raises(ResponseError, match=r"permission|can't access|can't run|not allowed"):
        execute(server, "red", *words)


@pytest.mark.parametrize("words", CHANGES.values(), ids=CHANGES)
def test_a_tenant_changes_nothing_of_another(server: Server, words: tuple[Any, ...]) -> None:
    from redis.exceptions import ResponseError

    with pytest.raises(ResponseError, match=r"permission|can't access|can't run|not allowed"):
        execute(server, "red", *words)
    assert execute(server, "blue", "GET", FOREIGN) == b"sesame"
    assert execute(server, "default", "FCALL", "f", 0) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_tenant_does_all_of_its_own_work(run: Run, server: Server, name: str) -> None:
    env = {"CTXKIT_STORE": find_url(server, name)}

    def work(*words: str, stdin: bytes = b"") -> bytes:
        done = run(*words, stdin=stdin, env=env)
        assert (done.status, done.err) == (0, ""), words
        return done.out

    gate = ("gate", "--window", "4000", "--tokenizer", "bytes/3")
    ref = re.findall(rb"cache get ([0-9a-f]{12,})", work(*gate, stdin=LARGE))[-1].decode()
    assert work("cache", "get", ref) == LARGE
    assert work("cache", "get", ref, "--lines", "5:6") == b"line 4 of the log\nline 5 of the log\n"
    for _ in range(2):
        assert work(*gate, "--session", "s", stdin=SMALL)
    work(*gate, "--session", "s", stdin=LARGE)
    assert json.loads(work("session", "status", "s", "--json"))["used"] > 100
    work("session", "append", "s", stdin=b'{"role": "user", "content": "hello"}\n')
    assert b"hello" in work("session", "history", "s")
    work("session", "reset", "s", "--used", "7")
    assert b"s" in work("session", "list")
    work("snapshot", "save", "s", stdin=CHAT)
    assert b"s" in work("snapshot", "list")
    assert b"fix the bug" in work("snapshot", "load", "s")
    assert b"fix the bug" in work("snapshot", "resume", "s")
    work("snapshot", "rm", "s")
    assert ref.encode()[:12] in work("cache", "list")
    for words in (("verify",), ("stat",), ("gc",), ("search", "line"), ("rm", ref), ("rm", "--all", "--yes", "--store", env["CTXKIT_STORE"])):
        work("cache", *words)
    work("session", "rm", "s")


def test_a_tenant_with_the_prefix_of_another_is_refused(run: Run, server: Server) -> None:
    url = find_url(server, "red").replace("prefix=red", "prefix=blue")
    done = run("cache", "put", stdin=LARGE, env={"CTXKIT_STORE": url})
    assert "the user needs the keys of the prefix" in done.err
    assert execute(server, "blue", "GET", FOREIGN) == b"sesame"
