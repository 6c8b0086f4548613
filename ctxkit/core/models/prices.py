"""Look up the input price of a model at its publisher; the date of a price is that of its registry."""

from typing import NamedTuple

from ctxkit.core.models.lookup import find_model
from ctxkit.core.models.model_table import DATES
from ctxkit.core.models.price_table import PRICES


class ModelPrice(NamedTuple):
    """The price of a million input tokens in US dollars, its registry, and the day of the registry's figures."""

    amount: float
    source: str
    as_of: str


def find_price(name: str) -> ModelPrice | None:
    """Return the price of the model with a name in any spelling, None if the table has none."""
    model = find_model(name) if name else None
    at = PRICES.find(f"\n{model.name} ") if model else -1
    if at < 0:
        return None
    _, amount, source = PRICES[at + 1 : PRICES.find("\n", at + 1)].split(" ")
    return ModelPrice(float(amount), source, DATES[source])
