"""Prices of models are dated, and found by any spelling of the name."""

import pytest

from ctxkit.core.models.lookup import find_model
from ctxkit.core.models.model_table import DATES
from ctxkit.core.models.price_table import PRICES
from ctxkit.core.models.prices import find_price


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
