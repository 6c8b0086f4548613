"""Histories, snapshots and marks are the same on all machines, and are shared again after the server was away."""

import json
import os
import time
from pathlib import Path

import pytest

from ctxkit.app.services import redis_sessions
from ctxkit.core.session.ledger import Session
from ctxkit.core.store.address import parse_address
from ctxkit.edge import say
from ctxkit.engines.history import Histories
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.engines.redis_history import RedisHistories
from ctxkit.engines.redis_ledger import RedisContextMarks, RedisLedger
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.session_tables import SQLiteContextMarks
from tests.redis_servers import Server, find_free_port, run_server

TALK = [{"role": "user", "content": f"question {number}"} for number in range(4)]


@pytest.fixture
def server(empty_redis_server: Server) -> Server:
    return empty_redis_server


@pytest.fixture
def hosts(server: Server, home: dict[str, str], tmp_path: Path) -> list[dict[str, str]]:
    """The environments of the same user on two machines, which share no directory but the server."""
    places = ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR")
    hosts = []
    for host in ("one", "two"):
        ours = {name: str(tmp_path / host / name) for name in places}
        for folder in ours.values():
            Path(folder).mkdir(parents=True)
        hosts.append({**home, **ours, "CTXKIT_STORE": server.url})
    return hosts


def lines_of(*messages: dict[str, str]) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def forget_loss(env: dict[str, str]) -> None:
    """Let the server be tried again at once."""
    for mark in Path(env["XDG_CACHE_HOME"], "ctxkit", "servers").iterdir():
        os.utime(mark, (0, time.time() - 60))


def test_a_session_is_resumed_on_another_host(run, hosts: list[dict[str, str]]) -> None:
    first, second = hosts
    assert run("session", "new", "s", "--window", "9000", "--tokenizer", "bytes/3", env=first).status == 0
    assert run("session", "append", "s", stdin=lines_of(*TALK[:2]), env=first).err == ""
    assert run("session", "history", "s", env=second).out == lines_of(*TALK[:2])
    summary = {"role": "user", "content": "what was said"}
    assert run("snapshot", "save", "s", stdin=lines_of(summary), env=second).err == ""
    assert run("session", "append", "s", stdin=lines_of(TALK[2]), env=first).err == ""
    for env in hosts:
        resumed = run("snapshot", "resume", "s", env=env)
        assert [json.loads(line) for line in resumed.out.splitlines()] == [summary, TALK[2]]
        assert b"s" in run("snapshot", "list", env=env).out
    assert run("session", "history", "s", "--since", "1h", env=first).out == lines_of(*TALK[:3])
    assert run("snapshot", "list", env={**first, "CTXKIT_STORE": "true"}).out == b""
    assert run("session", "rm", "s", env=first).status == 0
    assert run("session", "history", "s", env=second).status == 1
    assert run("snapshot", "list", env=second).out == b""


def test_a_snapshot_has_an_option_for_the_store(run, server: Server, hosts: list[dict[str, str]]) -> None:
    bare = {**hosts[0], "CTXKIT_STORE": "true"}
    run("session", "new", "s", "--window", "9000", "--tokenizer", "bytes/3", "--store", server.url, env=bare)
    saved = run("snapshot", "save", "s", "--store", server.url, stdin=lines_of(TALK[0]), env=bare)
    assert (saved.status, saved.err) == (0, "")
    loaded = run("snapshot", "load", "s", "--store", server.url, env={**hosts[1], "CTXKIT_STORE": "true"})
    assert loaded.out == lines_of(TALK[0])
    assert run("snapshot", "load", "s", env=bare).status == 1


@pytest.mark.slow
def test_what_was_said_while_the_server_was_away_is_shared_when_it_is_back(run, hosts: list[dict[str, str]], tmp_path: Path) -> None:
    lost = hosts[0]
    folder = tmp_path / "server"
    folder.mkdir()
    server = Server(str(folder), "--appendonly", "yes", "--appendfsync", "always")
    try:
        for env in hosts:
            env["CTXKIT_STORE"] = server.url
        run("session", "new", "s", "--window", "9000", "--tokenizer", "bytes/3", env=lost)
        run("session", "append", "s", stdin=lines_of(TALK[0]), env=lost)
        server.kill()
        assert run("session", "append", "s", stdin=lines_of(TALK[1]), env=lost).status == 0
        assert json.loads(run("session", "status", "s", "--json", env=lost).out)["window"] == 9000
        assert run("snapshot", "save", "s", stdin=lines_of(TALK[3]), env=lost).status == 0
        assert run("session", "append", "s", stdin=lines_of(TALK[2]), env=lost).status == 0
        assert run("session", "history", "s", env=lost).out == lines_of(TALK[1], TALK[2])
        server.start()
        forget_loss(lost)
        assert "shared again" in run("session", "status", "s", env=lost).err
        assert run("session", "history", "s", env=hosts[1]).out == lines_of(*TALK[:3])
        resumed = run("snapshot", "resume", "s", env=hosts[1])
        assert [json.loads(line) for line in resumed.out.splitlines()] == [TALK[3], TALK[2]]
        assert run("session", "history", "s", env=lost).out == lines_of(*TALK[:3])
    finally:
        server.kill()


def test_a_fork_opens_its_own(under) -> None:
    settings = under(store="redis://127.0.0.1:1")
    opened = redis_sessions.open_marks(settings, pytest.fail)
    assert redis_sessions.open_marks(settings, pytest.fail) is opened
    pid = os.fork()
    if not pid:
        status = 1
        try:
            status = int(redis_sessions.open_marks(settings, pytest.fail) is opened)
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0


def open_ledger(directory: str) -> SQLiteLedger:
    return SQLiteLedger(directory, pytest.fail)


def count_alone(server: RedisServer, settings) -> str:
    """Keep a session on this machine; return its directory."""
    directory = redis_sessions.open_directory(server, settings)
    open_ledger(directory).add(Session("s", 1000, 0, used=30))
    Histories(directory, pytest.fail).append("s", [b"one"])
    SQLiteContextMarks(directory, pytest.fail).set_mark("s", ["a"], "keep")
    return directory


def test_sessions_move_once(
    under, empty_redis_server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(say, "_verbosity", 0)
    server = RedisServer(parse_address(empty_redis_server.url), str(tmp_path / "servers" / "mark"), timeout=5)
    redis_sessions.share_again(server, under(), pytest.fail)  # nothing is pending
    directory = count_alone(server, under())
    assert directory == str(tmp_path / "data" / "unshared" / "mark")
    for _ in range(2):
        redis_sessions.share_again(server, under(), open_ledger)
    assert RedisLedger(server).find("s").used == 30
    assert RedisHistories(server).extent("s").lines == 1
    assert RedisContextMarks(server).find("s") == {"a": "keep"}
    assert open_ledger(directory).sessions() == []
    assert capsys.readouterr().err.count("shared again: 1 session of this machine") == 1
    assert not Path(directory, redis_sessions.PENDING).exists()


def test_sessions_stay_while_the_server_does_not_answer(under, tmp_path: Path) -> None:
    server = RedisServer(parse_address(f"redis://127.0.0.1:{find_free_port()}"), str(tmp_path / "servers" / "mark"), timeout=1)
    directory = count_alone(server, under())
    for _ in range(2):
        redis_sessions.share_again(server, under(), open_ledger)
    assert open_ledger(directory).find("s").used == 30
    assert Histories(directory, pytest.fail).extent("s").lines == 1
    assert Path(directory, redis_sessions.PENDING).exists()


def test_sessions_stay_if_the_server_takes_no_more(under, tmp_path: Path) -> None:
    with run_server("--maxmemory", "1", "--maxmemory-policy", "noeviction") as full:
        server = RedisServer(parse_address(full.url), str(tmp_path / "servers" / "mark"), timeout=5)
        directory = count_alone(server, under())
        redis_sessions.share_again(server, under(), open_ledger)
        assert Histories(directory, pytest.fail).extent("s").lines == 1
        assert open_ledger(directory).find("s").used == 30
        assert Path(directory, redis_sessions.PENDING).exists()
