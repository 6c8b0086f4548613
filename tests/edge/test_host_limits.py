from typing import Any

import pytest

from ctxkit.core.hosts.profiles import PROFILES
from ctxkit.edge.host_limits import apply_host_limits, cap_briefing, cap_result
from ctxkit.edge.request import CliRequest
from ctxkit.edge.settings import load

HOST = PROFILES["codex"]


@pytest.mark.parametrize(
    ("given", "window", "limit"),
    [({}, HOST.window, HOST.output_limit), ({"window": 9000}, 9000, HOST.output_limit), ({"limit": 7}, HOST.window, 7)],
)
def test_what_is_not_given_is_that_of_the_host(given: dict[str, Any], window: int, limit: int) -> None:
    request = apply_host_limits(CliRequest(**given), load(), HOST)
    assert (request.window, request.limit) == (window, limit)


def test_a_map_is_as_large_as_the_host_lets_it_be() -> None:
    policy = CliRequest(window=200_000).gate_policy(load(), "x")
    assert cap_briefing(policy, HOST).budget.briefing_cap == HOST.map_limit
    small = HOST._replace(map_limit=9)
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
    assert apply_host_limits(CliRequest(), load(), HOST).limit == 900
