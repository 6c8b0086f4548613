"""What sets up a connection travels with its first command, and its errors are reported."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.fleet import TripCounter
from ctxkit.core.store.address import StoreAddress, parse_address
from ctxkit.engines.redis_errors import ServerError
from ctxkit.engines.redis_server import RedisServer
from ctxkit.engines.redis_setup import list_setup
from tests.redis_servers import Server, run_server


@pytest.mark.parametrize(
    ("address", "commands"),
    [
        (StoreAddress("h"), []),
        (StoreAddress("h", db=3), [("SELECT", 3)]),
        (StoreAddress("h", password="p"), [("AUTH", "p")]),
        (StoreAddress("h", user="u", password="p", db=1), [("AUTH", "u", "p"), ("SELECT", 1)]),
    ],
)
def test_only_what_the_address_needs_is_sent(address: StoreAddress, commands: list[tuple[object, ...]]) -> None:
    assert list_setup(address) == commands


@pytest.fixture
def guarded() -> Iterator[Server]:
    with run_server("--requirepass", "secret", "--user", *["team", "on", ">word", "~*", "+@all"]) as server:
        yield server


def reach(port: int, login: str, folder: Path, db: int = 3) -> RedisServer:
    return RedisServer(parse_address(f"redis://{login}@127.0.0.1:{port}/{db}"), str(folder / "mark"), timeout=5)


@pytest.mark.parametrize("login", [":secret", "team:word"])
def test_a_password_and_a_database_cost_no_trip(guarded: Server, tmp_path: Path, login: str) -> None:
    proxy = TripCounter(guarded.port)
    server = reach(proxy.port, login, tmp_path)
    assert server.execute("SET", "a", "1") in (True, b"OK")
    assert proxy.trips == 1
    assert server.execute_many([("GET", "a"), ("CLIENT", "LIST")])[0] == b"1"
    assert b"db=3" in server.execute("CLIENT", "LIST", "TYPE", "NORMAL") or proxy.trips == 3
    assert proxy.trips == 3
    first = reach(proxy.port, login, tmp_path)
    assert first.execute_many([("GET", "a"), ("GET", "b")]) == [b"1", None]
    assert proxy.trips == 4


def test_a_connection_that_was_lost_is_set_up_again(guarded: Server, tmp_path: Path) -> None:
    server, killer = (reach(guarded.port, ":secret", tmp_path) for _ in range(2))
    server.execute("SET", "a", "1")
    killer.execute("CLIENT", "KILL", "TYPE", "NORMAL", "SKIPME", "yes")
    assert server.execute("GET", "a") == b"1"


@pytest.mark.parametrize(
    ("login", "db", "words"), [(":wrong", 0, "invalid username-password"), (":secret", 99, "out of range")]
)
def test_an_error_of_the_setup_is_the_error_of_the_command(
    guarded: Server, tmp_path: Path, login: str, db: int, words: str
) -> None:
    server = reach(guarded.port, login, tmp_path, db)
    for _ in range(2):
        with pytest.raises(ServerError) as raised:
            server.execute("GET", "a")
        assert words in str(raised.value.strerror)
