"""Agents on several machines share content and one ledger over a real server, and go on without it."""

import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxkit.core.store.address import parse_address
from ctxkit.engines.redis_ledger import RedisLedger
from ctxkit.engines.redis_server import RedisServer
from tests.redis_servers import Server, find_free_port, require_server, run_server

LARGE = b"".join(b"line %d of the log\n" % number for number in range(3000))
SMALL = b"a line\n" * 40
GATE = ("gate", "--window", "4000", "--tokenizer", "bytes/3")


@pytest.fixture
def server(empty_redis_server: Server) -> Server:
    return empty_redis_server


@pytest.fixture
def stopping_server() -> Iterator[Server]:
    """A server of its own, which a test may stop."""
    with run_server() as running:
        yield running


@pytest.fixture
def hosts(home: dict[str, str], tmp_path: Path) -> list[dict[str, str]]:
    """The environments of the same user on two machines, which share no directory."""
    places = ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR")
    hosts = []
    for host in ("one", "two"):
        ours = {name: str(tmp_path / host / name) for name in places}
        for folder in ours.values():
            Path(folder).mkdir(parents=True)
        hosts.append({**home, **ours})
    return hosts


def read_session(server: Server, name: str = "s"):
    return open_ledger(server).find(name)


def open_ledger(server: Server) -> RedisLedger:
    return RedisLedger(RedisServer(parse_address(server.url), "/dev/null/mark", timeout=5))


def find_ref(text: bytes) -> str:
    return re.findall(rb"cache get ([0-9a-f]{16})", text)[-1].decode()


@pytest.mark.slow
def test_what_one_host_stores_another_reads(run, server, hosts) -> None:
    first, second = hosts
    shown = run(*GATE, "--store", server.url, stdin=LARGE, env=first)
    assert shown.err == ""
    ref = find_ref(shown.out)
    part = run("cache", "get", ref, "--lines", "5:6", env={**second, "CTXKIT_STORE": server.url})
    assert part.out == b"line 4 of the log\nline 5 of the log\n"
    assert run("cache", "get", ref, env=second).status == 1
    assert run("cache", "list", env=first).out == b""
    path = run("cache", "path", ref, "--store", server.url, env=second).out.decode().strip()
    assert Path(path).read_bytes() == LARGE
    found = run("cache", "search", "line 2999", "--store", server.url, env=second)
    assert ref.encode() in found.out
    local = run("cache", "put", stdin=b"local\n", env=second).out.decode().strip()
    remove = ("cache", "rm", "--all", "--store", server.url)
    assert run(*remove, env=second).status == 2
    assert run(*remove, "--dry-run", env=second).out.decode().endswith(f"from {server.url}\n")
    assert run("cache", "rm", "--all", "--yes", env=first).status == 0
    assert run("cache", "get", ref, "--store", server.url, env=first).out == LARGE
    assert run(*remove, "--yes", env=second).status == 0
    assert run("cache", "get", ref, "--store", server.url, env=first).status == 1
    assert run("cache", "get", local, env=second).out == b"local\n"


@pytest.mark.slow
def test_a_server_that_is_not_there_is_no_empty_store(run, hosts) -> None:
    local = run("cache", "put", stdin=b"local\n", env=hosts[0]).out.decode().strip()
    for switch in ("--yes", "--dry-run"):
        done = run("cache", "rm", "--all", switch, "--store", "redis://127.0.0.1:1", env=hosts[0])
        assert (done.status, done.out) == (74, b"")
    assert run("cache", "get", local, env=hosts[0]).out == b"local\n"


@pytest.mark.slow
def test_a_tenant_needs_no_more_than_the_documented_rights(run, hosts) -> None:
    page = (Path(__file__).parents[1] / "docs" / "fleet.md").read_text()
    rule = re.search(r"^ACL SETUSER (.*)$", page, re.MULTILINE)[1]
    with run_server("--requirepass", "secret", "--user", *rule.split()) as server:
        url = f"redis://team:PASSWORD@127.0.0.1:{server.port}?prefix=team"
        env = {**hosts[0], "CTXKIT_STORE": url}
        shown = run(*GATE, "--session", "s", stdin=LARGE, env=env)
        again = run(*GATE, "--session", "s", stdin=SMALL, env=env)
        ref = find_ref(shown.out)
        for words in (("cache", "get", ref), ("cache", "list"), ("cache", "verify"), ("session", "list"), ("cache", "rm", ref)):
            done = run(*words, env={**hosts[1], "CTXKIT_STORE": url})
            assert (done.status, done.err) == (0, ""), words
        assert shown.err == again.err == ""
        other = {**hosts[1], "CTXKIT_STORE": url.replace("=team", "=other")}
        assert "the user needs the keys of the prefix" in run("cache", "put", stdin=LARGE, env=other).err


def test_a_ref_that_no_reachable_store_has_is_an_error_with_a_hint(run, home) -> None:
    env = {**home, "CTXKIT_STORE": f"redis://127.0.0.1:{find_free_port()}"}
    first, second = (run("cache", "get", "0123456789ab", env=env) for _ in range(2))
    assert first.status == second.status == 74
    assert first.err.splitlines()[0].startswith("ctxkit: Connection refused: redis://127.0.0.1:")
    assert first.err.splitlines()[1:] == ["  hint: is the server running?"]
    assert "tried again 30 seconds" in second.err


@pytest.mark.slow
def test_an_evicted_blob_is_absent(run, server, home) -> None:
    env = {**home, "CTXKIT_STORE": server.url}
    ref = find_ref(run(*GATE, stdin=LARGE, env=env).out)
    RedisServer(parse_address(server.url), "/dev/null/mark").execute("FLUSHALL")
    done = run("cache", "get", ref, env=env)
    assert (done.status, done.out) == (1, b"")
    assert "nothing is stored" in done.err


def test_a_session_is_one_on_both_hosts(run, server, hosts) -> None:
    envs = [{**host, "CTXKIT_STORE": server.url} for host in hosts]
    for env in envs:
        assert run(*GATE, "--session", "s", "--again", stdin=SMALL, env=env).out == SMALL
    status = json.loads(run("session", "status", "s", "--json", env=envs[0]).out)
    assert status["used"] == 2 * read_session(server).used // 2 == 2 * len(SMALL) // 3 + (2 if len(SMALL) * 2 % 3 else 0)
    assert run("session", "list", env=hosts[0]).out == b""
    assert run("session", "rm", "s", env=envs[1]).status == 0
    assert read_session(server) is None


@pytest.mark.slow
def test_the_store_of_a_project_is_ignored(run, home, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    url = f"redis://127.0.0.1:{find_free_port()}"
    (project / ".ctxkit.toml").write_text(f'store = "{url}"\n')
    config = Path(home["XDG_CONFIG_HOME"], "ctxkit", "config.toml")
    config.parent.mkdir()
    for trusted in ("", f'trusted = ["{project}"]\n'):
        config.write_text(trusted)
        shown = run(*GATE, stdin=LARGE, cwd=project, env=home)
        assert "127.0.0.1" not in shown.err.replace(f"store = '{url}'", ""), shown.err
        assert run("cache", "get", find_ref(shown.out), cwd=project, env=home).out == LARGE


@pytest.mark.slow
@pytest.mark.parametrize("url", ["redis://127.0.0.1:{free}", "redis://:wrong@127.0.0.1:{port}", "redis://127.0.0.1:{full}", "http://x"])
def test_content_passes_whatever_is_wrong_with_the_server(run, hosts, url: str) -> None:
    with (
        run_server("--requirepass", "secret") as guarded,
        run_server("--maxmemory", "1", "--maxmemory-policy", "noeviction") as full,
    ):
        address = url.format(free=find_free_port(), port=guarded.port, full=full.port)
        env = {**hosts[0], "CTXKIT_STORE": address}
        began = time.monotonic()
        shown = run(*GATE, "--session", "s", stdin=LARGE, env=env)
        assert shown.status == 0
        assert time.monotonic() - began < 30  # a connection that is waited for takes minutes
        lines = [line for line in shown.err.splitlines() if not line.startswith("  hint: ")]
        assert lines, shown.err
        assert all(line.startswith("ctxkit: warning: ") for line in lines), shown.err
        assert "wrong" not in shown.err.replace("WRONGPASS", "")
        ref = find_ref(shown.out)
        back = run("cache", "get", ref, env=env)
        assert back.out == LARGE, back.err
        again = run(*GATE, "--session", "s", "--again", stdin=SMALL, env=env)
        assert again.out == SMALL
        assert "hint" not in again.err  # said once
        assert "counted on this machine" not in again.err


@pytest.mark.parametrize("words", [GATE, (*GATE, "--session", "s", "--again")])
@pytest.mark.parametrize("content", [LARGE, SMALL])
def test_a_strict_call_fails_with_the_server_that_it_needs(run, home, words: tuple[str, ...], content: bytes) -> None:
    url = f"redis://127.0.0.1:{find_free_port()}"
    is_needed = content is LARGE or "--session" in words
    for _ in range(2):  # the second call finds the mark that the server was lost
        done = run(*words, "--strict", "--store", url, stdin=content, env=home)
        assert (done.status, done.out) == ((74, b"") if is_needed else (0, content))
        assert (url in done.err) is is_needed
    done = run(*words, stdin=content, env={**home, "CTXKIT_STORE": url, "CTXKIT_STRICT": "1"})
    assert done.status == (74 if is_needed else 0)


def test_what_was_counted_while_the_server_was_away_is_added_when_it_is_back(run, stopping_server, hosts) -> None:
    server = stopping_server
    env = {**hosts[0], "CTXKIT_STORE": server.url}
    run(*GATE, "--session", "s", stdin=SMALL, env=env)
    used = read_session(server).used
    server.kill()
    shown = run(*GATE, "--session", "s", "--again", stdin=SMALL, env=env)
    assert shown.out == SMALL
    assert "sessions are counted on this machine only" in shown.err
    server.start()
    assert run(*GATE, "--session", "s", "--again", stdin=SMALL, env=env).err == ""  # it is not tried again yet
    assert read_session(server) is None  # this server does not save its data
    for mark in Path(hosts[0]["XDG_CACHE_HOME"], "ctxkit", "servers").iterdir():
        os.utime(mark, (0, time.time() - 60))
    back = run(*GATE, "--session", "s", "--again", stdin=SMALL, env=env)
    assert "shared again" in back.err
    assert read_session(server).used == 3 * used


def take_turns(env: dict[str, str], ctxkit: str, count: int, folder: Path) -> list[subprocess.Popen[bytes]]:
    """Start processes that each gate their own content several times."""
    script = f'for i in 1 2 3; do {ctxkit} gate --session s --again < small || exit; done'
    return [
        subprocess.Popen(["sh", "-c", script], env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(count)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("window", [100_000, 1_500])
def test_two_hosts_with_eight_processes_each_share_one_exact_ledger(ctxkit, run, server, hosts, tmp_path: Path, window: int) -> None:
    (tmp_path / "small").write_bytes(SMALL)
    envs = [{**host, "CTXKIT_STORE": server.url} for host in hosts]
    assert run("session", "new", "s", "--window", str(window), "--tokenizer", "bytes/3", env=envs[0]).status == 0
    workers = [worker for env in envs for worker in take_turns(env, ctxkit, 8, tmp_path)]
    ledger, limit = open_ledger(server), window - window // 5
    while any(worker.poll() is None for worker in workers):
        assert ledger.find("s").occupancy <= limit
        time.sleep(0.01)
    errors = [worker.communicate()[1] for worker in workers]
    session, entries = ledger.find("s"), ledger.entries("s")
    assert session.used == sum(dated.entry.tokens for dated in entries) <= limit
    assert session.reserved == 0
    if window == 100_000:
        assert errors == [b""] * 16
        assert [worker.returncode for worker in workers] == [0] * 16
        assert len(entries) == session.items == 48
        assert {dated.entry.tokens for dated in entries} == {-(-len(SMALL) // 3)}


@pytest.mark.slow
@pytest.mark.parametrize("persistent", [True, False])
def test_a_server_that_is_killed_knows_what_it_saved(run, hosts, persistent: bool) -> None:
    require_server()
    options = ("--appendonly", "yes", "--appendfsync", "always") if persistent else ()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(folder, *options)
        try:
            env = {**hosts[0], "CTXKIT_STORE": server.url}
            ref = find_ref(run(*GATE, stdin=LARGE, env=env).out)
            run(*GATE, "--session", "s", stdin=SMALL, env=env)
            used = read_session(server).used
            server.kill()
            server.start()
            assert (read_session(server) is not None) is persistent
            assert run("cache", "get", ref, env=env).status == (0 if persistent else 1)
            run(*GATE, "--session", "s", "--again", stdin=SMALL, env=env)
            assert read_session(server).used == used * (2 if persistent else 1)
        finally:
            server.kill()


def test_what_a_manifest_refers_to_is_kept_a_month(run, server, home, tmp_path: Path) -> None:
    env = {**home, "CTXKIT_STORE": server.url}
    result = {"role": "tool", "tool_call_id": "c", "content": "x y z\n" * 4000}
    call = {"id": "c", "type": "function", "function": {"name": "sh", "arguments": "{}"}}
    chat = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        result,
        *({"role": role, "content": "words " * 300} for role in ("assistant", "user") * 5),
    ]
    (tmp_path / "chat.jsonl").write_text("".join(json.dumps(message) + "\n" for message in chat))
    words = ("--window", "9000", "--tokenizer", "bytes/3", "--force", "--manifest", "m.json")
    done = run("compact", "chat.jsonl", *words, cwd=tmp_path, env=env)
    assert done.status == 0, done.err
    shared = RedisServer(parse_address(server.url), "/dev/null/mark")
    times = [shared.execute("TTL", key) for key in shared.execute("KEYS", "*:blob:*")]
    assert max(times) > 29 * 86_400
