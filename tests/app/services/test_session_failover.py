"""Sessions of this machine move to the server once, when it answers."""

from pathlib import Path

import pytest

from ctxkit.app.services import session_failover
from ctxkit.core.session.ledger import Session
from ctxkit.core.store.address import parse_address
from ctxkit.edge import say
from ctxkit.engines.context_marks import SQLiteContextMarks
from ctxkit.engines.history import Histories
from ctxkit.engines.ledger import SQLiteLedger
from ctxkit.engines.redis_context_marks import RedisContextMarks
from ctxkit.engines.redis_history import RedisHistories
from ctxkit.engines.redis_ledger import RedisLedger
from ctxkit.engines.redis_server import RedisServer
from tests.redis_servers import Server, find_free_port, run_server


def open_ledger(directory: str) -> SQLiteLedger:
    return SQLiteLedger(directory, pytest.fail)


def count_alone(server: RedisServer, settings) -> str:
    """Keep a session on this machine; return its directory."""
    directory = session_failover.open_directory(server, settings)
    open_ledger(directory).add(Session("s", 1000, 0, used=30))
    Histories(directory, pytest.fail).append("s", [b"one"])
    SQLiteContextMarks(directory, pytest.fail).set_mark("s", ["a"], "keep")
    return directory


def test_sessions_move_once(
    under, empty_redis_server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(say, "_verbosity", 0)
    server = RedisServer(parse_address(empty_redis_server.url), str(tmp_path / "servers" / "mark"), timeout=5)
    session_failover.share_again(server, under(), pytest.fail)  # nothing is pending
    directory = count_alone(server, under())
    assert directory == str(tmp_path / "data" / "unshared" / "mark")
    for _ in range(2):
        session_failover.share_again(server, under(), open_ledger)
    assert RedisLedger(server).find("s").used == 30
    assert RedisHistories(server).extent("s").lines == 1
    assert RedisContextMarks(server).find("s") == {"a": "keep"}
    assert open_ledger(directory).sessions() == []
    assert capsys.readouterr().err.count("shared again: 1 session of this machine") == 1
    assert not Path(directory, session_failover.PENDING).exists()


def test_sessions_stay_while_the_server_does_not_answer(under, tmp_path: Path) -> None:
    server = RedisServer(parse_address(f"redis://127.0.0.1:{find_free_port()}"), str(tmp_path / "servers" / "mark"), timeout=1)
    directory = count_alone(server, under())
    for _ in range(2):
        session_failover.share_again(server, under(), open_ledger)
    assert open_ledger(directory).find("s").used == 30
    assert Histories(directory, pytest.fail).extent("s").lines == 1
    assert Path(directory, session_failover.PENDING).exists()


def test_sessions_stay_if_the_server_takes_no_more(under, tmp_path: Path) -> None:
    with run_server("--maxmemory", "1", "--maxmemory-policy", "noeviction") as full:
        server = RedisServer(parse_address(full.url), str(tmp_path / "servers" / "mark"), timeout=5)
        directory = count_alone(server, under())
        session_failover.share_again(server, under(), open_ledger)
        assert Histories(directory, pytest.fail).extent("s").lines == 1
        assert open_ledger(directory).find("s").used == 30
        assert Path(directory, session_failover.PENDING).exists()
