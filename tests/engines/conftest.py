import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.redis_servers import Server, empty_server, run_cluster

CROWDS = ("redis_conditional_entry", "redis_history", "redis_ledger", "local_store")
multiprocessing.set_forkserver_preload([f"tests.engines.test_{name}" for name in CROWDS])
"""Tests whose processes are forks of one that has loaded their modules: to load them takes half a second."""


@pytest.fixture(scope="session")
def redis_cluster() -> Iterator[list[Server]]:
    """A real cluster of three nodes for the tests of this process."""
    with run_cluster() as servers:
        yield servers


@pytest.fixture(params=["local", "redis", "cluster"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where sessions are: a directory, or the URL of an empty server."""
    if request.param == "local":
        return str(tmp_path / "data")
    servers = request.getfixturevalue("redis_cluster") if request.param == "cluster" else [request.getfixturevalue("redis_server")]
    for server in servers:
        empty_server(server.url)
    return str(servers[0].url) + "?cluster=1" * (len(servers) > 1)
