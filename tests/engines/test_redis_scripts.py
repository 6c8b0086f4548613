from hashlib import sha1

import pytest

from ctxkit.core.store.address import parse_address
from ctxkit.engines import redis_scripts as scripts
from ctxkit.engines.redis_server import RedisServer
from tests.redis_servers import Server

ALL = [scripts.STORE, scripts.FIND, scripts.OPEN, scripts.HOLD, scripts.REMOVE_UNUSED]


@pytest.mark.parametrize(("option", "number"), [("", 2), ("?cluster=1", 0)])
def test_a_script_of_a_session_may_use_the_keys_of_content_only_on_a_single_server(option: str, number: int) -> None:
    keys = scripts.BlobKeys(RedisServer(parse_address(f"redis://127.0.0.1{option}"), "/dev/null/mark"))
    assert keys.list_shared("a" * 64) == [keys.blob("a" * 64), keys.refs("a" * 64)][:number]
    assert keys.list_shared("a" * 12) == []


@pytest.mark.parametrize("script", ALL)
def test_a_server_knows_a_script_by_its_digest(script, redis_server: Server) -> None:
    import redis

    with redis.Redis(port=redis_server.port) as client:
        assert client.script_load(script.text) == script.digest == sha1(script.text.encode()).hexdigest()


@pytest.mark.parametrize(
    "script", [scripts.READ, scripts.ADD, scripts.INDEX, scripts.RESERVE, scripts.RECORD, scripts.SWAP]
)
def test_a_server_knows_a_ledger_script_by_its_digest(script, redis_server: Server) -> None:
    import redis

    with redis.Redis(port=redis_server.port) as client:
        assert client.script_load(script.text) == script.digest == sha1(script.text.encode()).hexdigest()


def test_the_keys_of_a_session_are_on_one_node(tmp_path) -> None:
    keys = scripts.SessionKeys(RedisServer(parse_address("redis://h?prefix=team"), str(tmp_path / "mark"))).make_all("a:b")
    assert len(set(keys)) == 5
    assert all(key.startswith("team:{session a:b}:") for key in keys)
