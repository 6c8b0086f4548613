"""Hosts in network namespaces of their own share refs and a session over a server, and go on when the network fails."""

import itertools
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ctxkit.core.store.address import parse_address
from ctxkit.engines.redis_ledger import RedisLedger
from ctxkit.engines.redis_server import RedisServer
from tests.redis_servers import Server, run_server

pytestmark = pytest.mark.slow
SERIAL = itertools.count()  # a removed link holds its name until the kernel removes its namespace, so no name is used twice
LARGE = b"".join(b"line %d of the log\n" % number for number in range(3000))
SMALL = b"a line\n" * 40
GATE = ("gate", "--window", "100000", "--tokenizer", "bytes/3", "--session", "s", "--again")


class Host(NamedTuple):
    """A network namespace, joined to that of the server by a link, and the environment of its user."""

    namespace: str
    link: str
    env: dict[str, str]

    def words(self, *words: str) -> list[str]:
        return ["ip", "netns", "exec", self.namespace, *words]

    def run(self, *words: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(self.words(*words), input=data, env=self.env, capture_output=True, check=False)


def set_up(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def make_host(number: int, env: dict[str, str], folder: Path) -> Host:
    serial = next(SERIAL)
    namespace, link = f"ctxkit-{os.getpid()}-{serial}", f"ck{os.getpid() % 100_000}n{serial}"
    set_up("netns", "add", namespace)
    set_up("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace)
    set_up("addr", "add", f"10.213.{number}.1/24", "dev", link)
    set_up("link", "set", link, "up")
    for words in (("addr", "add", f"10.213.{number}.2/24", "dev", "eth0"), ("link", "set", "eth0", "up")):
        set_up("-n", namespace, *words)
    places = ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TMPDIR")
    ours = {name: str(folder / f"host{number}" / name) for name in places}
    for path in ours.values():
        Path(path).mkdir(parents=True)
    return Host(namespace, link, {**env, **ours, "PATH": os.environ["PATH"]})


def may_make_namespaces() -> bool:
    """Return whether this user may make network namespaces and links."""
    name = f"ctxkit-try-{os.getpid()}"
    if not shutil.which("ip") or subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode:
        return False
    link = f"ck{os.getpid() % 100_000}t{next(SERIAL)}"
    words = ["ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name]
    made = subprocess.run(words, capture_output=True, check=False).returncode == 0
    subprocess.run(["ip", "link", "del", link], check=False, capture_output=True)
    subprocess.run(["ip", "netns", "del", name], check=True)
    return made


@pytest.fixture
def server() -> Iterator[Server]:
    with run_server("--bind", "0.0.0.0", "--protected-mode", "no") as running:
        yield running


@pytest.fixture
def hosts(server: Server, home: dict[str, str], tmp_path: Path) -> Iterator[list[Host]]:
    """Two hosts, whose store is the server at the other end of their link."""
    if not may_make_namespaces():
        pytest.skip("only root can make network namespaces, with ip of iproute2")
    hosts = []
    try:
        for number in (1, 2):
            host = make_host(number, home, tmp_path)
            host.env["CTXKIT_STORE"] = f"redis://10.213.{number}.1:{server.port}"
            hosts.append(host)
        yield hosts
    finally:
        for host in hosts:
            set_up("link", "del", host.link)
            set_up("netns", "del", host.namespace)


def open_ledger(server: Server) -> RedisLedger:
    return RedisLedger(RedisServer(parse_address(server.url), "/dev/null/mark", timeout=5))


def find_ref(text: bytes) -> str:
    return re.findall(rb"cache get ([0-9a-f]{16})", text)[-1].decode()


def test_hosts_share_refs_and_an_exact_session(hosts: list[Host], server: Server, ctxkit: str, tmp_path: Path) -> None:
    shown = hosts[0].run(ctxkit, "gate", "--window", "4000", "--tokenizer", "bytes/3", data=LARGE)
    assert shown.stderr == b""
    second = hosts[1].run(ctxkit, "cache", "get", find_ref(shown.stdout))
    assert (second.stderr, second.stdout) == (b"", LARGE)
    (tmp_path / "small").write_bytes(SMALL)
    script = f"for i in 1 2 3; do {ctxkit} {' '.join(GATE)} < {tmp_path}/small || exit; done"
    workers = [
        subprocess.Popen(host.words("sh", "-c", script), env=host.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for host in hosts
        for _ in range(8)
    ]
    assert [worker.communicate()[1] for worker in workers] == [b""] * 16
    assert [worker.returncode for worker in workers] == [0] * 16
    session = open_ledger(server).find("s")
    assert session is not None
    assert (session.items, session.used, session.reserved) == (48, 48 * -(-len(SMALL) // 3), 0)


@pytest.mark.parametrize("failure", ["silence", "no link"])
def test_a_host_without_its_network_goes_on_alone(hosts: list[Host], server: Server, ctxkit: str, failure: str) -> None:
    lost, other = hosts
    for host in hosts:
        assert host.run(ctxkit, *GATE, data=SMALL).stderr == b""
    if failure == "silence":
        set_up("addr", "flush", "dev", lost.link)  # packets get no answer
    else:
        set_up("-n", lost.namespace, "link", "set", "eth0", "down")
    began = time.monotonic()
    shown = lost.run(ctxkit, *GATE, data=SMALL)
    assert time.monotonic() - began < 5
    assert shown.stdout == SMALL
    assert b"sessions are counted on this machine only" in shown.stderr
    assert lost.run(ctxkit, *GATE, data=SMALL).stderr == b""  # said once
    stored = lost.run(ctxkit, "gate", "--window", "4000", "--tokenizer", "bytes/3", data=LARGE)
    assert lost.run(ctxkit, "cache", "get", find_ref(stored.stdout)).stdout == LARGE
    assert other.run(ctxkit, *GATE, data=SMALL).stderr == b""
    assert open_ledger(server).find("s").items == 3


def test_what_a_host_counted_alone_is_added_when_its_network_is_back(hosts: list[Host], server: Server, ctxkit: str) -> None:
    lost = hosts[0]
    assert lost.run(ctxkit, *GATE, data=SMALL).stderr == b""
    set_up("link", "set", lost.link, "down")
    for _ in range(2):
        assert lost.run(ctxkit, *GATE, data=SMALL).stdout == SMALL
    set_up("link", "set", lost.link, "up")
    for mark in Path(lost.env["XDG_CACHE_HOME"], "ctxkit", "servers").iterdir():
        os.utime(mark, (0, time.time() - 60))
    assert b"shared again" in lost.run(ctxkit, *GATE, data=SMALL).stderr
    status = json.loads(hosts[1].run(ctxkit, "session", "status", "s", "--json").stdout)
    assert status["used"] == open_ledger(server).find("s").used == 4 * -(-len(SMALL) // 3)


def test_a_resolver_that_is_silent_delays_a_gate_only_briefly(hosts: list[Host], ctxkit: str) -> None:
    host = hosts[0]
    folder = Path("/etc/netns", host.namespace)  # ip puts the files in it over those in /etc
    folder.mkdir(parents=True)
    try:
        (folder / "resolv.conf").write_text("nameserver 10.213.1.9\n")
        host.env["CTXKIT_STORE"] = "redis://store.example.com"
        began = time.monotonic()
        shown = host.run(ctxkit, *GATE, data=SMALL)
        assert time.monotonic() - began < 4
        assert shown.stdout == SMALL
        assert b"is not resolved in time" in shown.stderr
    finally:
        shutil.rmtree(folder)
