"""Marks of messages on a real server, and their time."""

from ctxkit.core.session.ledger import Session
from ctxkit.core.store.address import parse_address
from ctxkit.engines.redis_context_marks import RedisContextMarks
from ctxkit.engines.redis_ledger import RedisLedger
from ctxkit.engines.redis_server import RedisServer
from tests.redis_servers import empty_server


def test_marks_are_those_set_last_until_the_session_is_removed(redis_server) -> None:
    empty_server(redis_server.url)
    server = RedisServer(parse_address(redis_server.url), "/dev/null/mark")
    marks, ledger = RedisContextMarks(server), RedisLedger(server)
    ledger.add(Session("s", 1000, 0))
    assert marks.find("s") == {}
    marks.set_mark("s", [], "keep")
    marks.set_mark("s", ["a", "b"], "keep")
    marks.set_mark("s", ["b", "c"], "removable")
    assert marks.find("s") == {"a": "keep", "b": "removable", "c": "removable"}
    assert marks.find("t") == {}
    (key,) = server.execute("KEYS", "*marks*")
    server.execute("EXPIRE", key, 100)
    marks.find("s")
    assert server.execute("TTL", key) > 29 * 86_400
    ledger.remove("s")
    assert marks.find("s") == {}
