import os
import time
from pathlib import Path
from typing import Any

import pytest

from ctxkit.core.gate.decision import GateResult
from ctxkit.core.hosts.profiles import PROFILES
from ctxkit.core.hosts.status_line import KeptTokens
from ctxkit.core.session.ledger import HOST_SESSION
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.edge.host_session import (
    MAX_AGE,
    apply_host_limits,
    cap_briefing,
    cap_result,
    load_kept_tokens,
    record_map,
    record_read,
)
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import load

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


HOST_HOST_LIMITS = PROFILES["codex"]


@pytest.mark.parametrize(
    ("given", "window", "limit"),
    [({}, HOST_HOST_LIMITS.window, HOST_HOST_LIMITS.output_limit), ({"window": 9000}, 9000, HOST_HOST_LIMITS.output_limit), ({"limit": 7}, HOST_HOST_LIMITS.window, 7)],
)
def test_what_is_not_given_is_that_of_the_host(given: dict[str, Any], window: int, limit: int) -> None:
    request = apply_host_limits(CliRequest(**given), load(), HOST_HOST_LIMITS)
    assert (request.window, request.limit) == (window, limit)


def test_a_map_is_as_large_as_the_host_lets_it_be() -> None:
    policy = CliRequest(window=200_000).gate_policy(load(), "x")
    assert cap_briefing(policy, HOST_HOST_LIMITS).budget.briefing_cap == HOST_HOST_LIMITS.map_limit
    small = HOST_HOST_LIMITS._replace(map_limit=9)
    assert cap_briefing(policy, small).budget.briefing_cap == 9


@pytest.mark.parametrize(
    ("given", "cap", "limit"),
    [
        ({"window": 200_000}, "", 25_000),
        ({"window": 200_000}, "none", None),
        ({"window": 200_000}, "9k", 9_000),
        ({"window": 200_000, "limit": 50_000}, "", 50_000),
        ({"window": 32_768}, "", None),
        ({}, "", None),
    ],
)
def test_one_output_is_capped_in_a_large_window(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], cap: str, limit: int | None
) -> None:
    monkeypatch.setenv("CTXKIT_RESULT_CAP", cap) if cap else None
    assert cap_result(CliRequest(**given), load()).limit == limit


def test_a_cap_below_the_limit_of_the_host_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CTXKIT_RESULT_CAP", "900")
    assert apply_host_limits(CliRequest(), load(), HOST_HOST_LIMITS).limit == 900
