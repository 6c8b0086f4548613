import os
import time
from pathlib import Path

import pytest

from ctxkit.core.gate.decision import GateResult
from ctxkit.core.hosts.profiles import PROFILES
from ctxkit.core.hosts.status_line import KeptTokens
from ctxkit.core.session.ledger import HOST_SESSION
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.edge.host_session import MAX_AGE, load_kept_tokens, record_map, record_read

MAP = GateResult("briefing", TokenCount(2_000, 2_000, "exact"), (), original=TokenCount(90_000, 90_000, "exact"))
HOST = PROFILES["claude-code"]


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "hosts" / "claude-code").mkdir(parents=True)
    monkeypatch.setenv(HOST_SESSION, "s-1")
    return str(tmp_path)


def test_a_map_and_what_is_read_of_it_are_summed(data_dir: str) -> None:
    record_read(400, data_dir)
    assert load_kept_tokens("s-1", data_dir) is None
    record_map(MAP, HOST, data_dir)
    record_map(MAP._replace(result="raw"), HOST, data_dir)
    record_read(400, data_dir)
    assert load_kept_tokens("s-1", data_dir) == KeptTokens(5_400, 1)
    assert load_kept_tokens("s-2", data_dir) is None


def test_nothing_is_recorded_without_a_session_or_a_setup(data_dir: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("", "../x", "-"):
        monkeypatch.setenv(HOST_SESSION, name)
        record_map(MAP, HOST, data_dir)
    assert not (tmp_path / "hosts" / "claude-code" / "kept").exists()
    monkeypatch.setenv(HOST_SESSION, "s-1")
    (tmp_path / "hosts" / "claude-code").rmdir()
    record_map(MAP, HOST, data_dir)
    assert os.listdir(tmp_path / "hosts") == []


def test_old_records_go(data_dir: str, tmp_path: Path) -> None:
    record_map(MAP, HOST, data_dir)
    old = tmp_path / "hosts" / "claude-code" / "kept" / "s-0"
    old.write_text("map 5\n")
    os.utime(old, (time.time() - MAX_AGE - 9,) * 2)
    record_map(MAP, HOST, data_dir)
    assert os.listdir(old.parent) == ["s-1"]
