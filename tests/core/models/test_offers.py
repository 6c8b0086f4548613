"""Prices of models are dated, and found by any spelling of the name; hosts offer models with limits of their own."""

import pytest

from ctxkit.core.models.lookup import MODELS, find_model
from ctxkit.core.models.model_table import DATES
from ctxkit.core.models.offers import LONG_CACHE, SHORT_CACHE, find_cache_seconds, find_host_limits, find_price
from ctxkit.core.models.price_table import PRICES


@pytest.mark.parametrize(
    ("name", "amount"),
    [("claude-sonnet-4-5", 3.0), ("anthropic/claude-sonnet-4-5-20250929", 3.0), ("gpt-4o", 2.5), ("GPT-4o-mini", 0.15)],
)
def test_a_price_is_found_by_any_spelling(name: str, amount: float) -> None:
    price = find_price(name)
    assert price is not None
    assert (price.amount, price.as_of) == (amount, DATES[price.source])


@pytest.mark.parametrize("name", ["", "no-such-model", "claude"])
def test_a_model_without_a_price(name: str) -> None:
    assert find_price(name) is None


def test_each_row_is_a_price_of_a_model() -> None:
    rows = [row.split(" ") for row in PRICES.strip().split("\n")]
    assert len(rows) > 200
    for name, amount, source in rows:
        assert find_model(name) is not None
        assert 0 < float(amount) < 1000
        assert source in DATES


def test_what_hosts_offer_is_told_apart_by_window_and_answer() -> None:
    sizes = {one.window for one in find_host_limits("qwen3-30b-a3b")}
    assert {32_768, 131_072} <= sizes
    assert ("dashscope", "litellm") in next(one for one in find_host_limits("qwen3-30b-a3b") if one.window == 129_024).hosts


@pytest.mark.parametrize("name", ["", "unheard-of", "qwen3"])
def test_of_a_model_that_is_not_in_the_table_nothing_is_offered(name: str) -> None:
    assert find_host_limits(name) == []


def test_every_offer_can_be_read_and_the_smallest_comes_first() -> None:
    for name in MODELS:
        windows = [one.window for one in find_host_limits(name)]
        assert windows == sorted(windows)
        assert all(host and registry for one in find_host_limits(name) for host, registry in one.hosts)


@pytest.mark.parametrize(("short", "long", "seconds"), [(0, 0, 0), (5, 0, SHORT_CACHE), (0, 5, LONG_CACHE), (5, 1, LONG_CACHE)])
def test_writes_to_a_cache_say_how_long_it_lives(short: int, long: int, seconds: int) -> None:
    assert find_cache_seconds(short, long) == seconds
