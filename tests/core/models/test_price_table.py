"""Each line of the prices of publishers is well formed, and belongs to a model of the table."""

from ctxkit.core.models.model_table import DATES, TABLE
from ctxkit.core.models.offers import find_price
from ctxkit.core.models.price_table import PRICES

ROWS = [line.split(" ") for line in PRICES.strip().split("\n")]


def test_each_line_has_a_model_of_the_table_a_price_and_a_registry() -> None:
    names = {line.split(" ")[1] for line in TABLE.strip().split("\n") if ">" not in line}
    assert len(ROWS) > 50
    for name, amount, source in ROWS:
        assert name in names
        assert 0 < float(amount) <= 1_000
        assert source in DATES


def test_a_model_has_one_price_in_the_order_of_names() -> None:
    names = [row[0] for row in ROWS]
    assert names == sorted(set(names))


def test_each_price_is_found_with_the_date_of_its_registry() -> None:
    for name, amount, source in ROWS:
        price = find_price(name)
        assert price is not None
        assert (price.amount, price.source, price.as_of) == (float(amount), source, DATES[source])
