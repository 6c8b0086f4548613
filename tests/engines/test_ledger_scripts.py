from hashlib import sha1

import pytest

from ctxkit.core.store.address import parse_address
from ctxkit.engines import ledger_scripts as scripts
from ctxkit.engines.redis_server import RedisServer
from tests.redis_servers import Server


@pytest.mark.parametrize(
    "script", [scripts.READ, scripts.ADD, scripts.INDEX, scripts.RESERVE, scripts.RECORD, scripts.SWAP]
)
def test_a_server_knows_a_script_by_its_digest(script, redis_server: Server) -> None:
    import redis

    with redis.Redis(port=redis_server.port) as client:
        assert client.script_load(script.text) == script.digest == sha1(script.text.encode()).hexdigest()


def test_the_keys_of_a_session_are_on_one_node(tmp_path) -> None:
    keys = scripts.SessionKeys(RedisServer(parse_address("redis://h?prefix=team"), str(tmp_path / "mark"))).make_all("a:b")
    assert len(set(keys)) == 5
    assert all(key.startswith("team:{session a:b}:") for key in keys)
