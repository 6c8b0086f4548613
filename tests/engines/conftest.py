from collections.abc import Iterator

import pytest

from tests.redis_servers import Server, run_cluster, run_server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Server]:
    """A real server for the tests of this process."""
    with run_server() as server:
        yield server


@pytest.fixture(scope="session")
def redis_cluster() -> Iterator[list[Server]]:
    """A real cluster of three nodes for the tests of this process."""
    with run_cluster() as servers:
        yield servers
