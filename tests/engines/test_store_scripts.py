from hashlib import sha1

import pytest

from ctxkit.engines import store_scripts as scripts
from tests.redis_servers import Server

ALL = [scripts.STORE, scripts.FIND, scripts.OPEN, scripts.HOLD, scripts.REMOVE_UNUSED]


@pytest.mark.parametrize("script", ALL)
def test_a_server_knows_a_script_by_its_digest(script, redis_server: Server) -> None:
    import redis

    with redis.Redis(port=redis_server.port) as client:
        assert client.script_load(script.text) == script.digest == sha1(script.text.encode()).hexdigest()
