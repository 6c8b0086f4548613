import tomllib

import pytest

from ctxkit.core.tokens.calibration import Factor, parse_factor
from ctxkit.core.tokens.estimate import estimate_tokens
from ctxkit.core.tokens.vocabulary import find_vocabulary

TEXT = "Some words that are billed by the token.\n" * 20


def test_a_factor_moves_the_estimate_and_its_ends() -> None:
    plain = find_vocabulary("claude")
    taught = Factor(2.0, 0.5, 1.5, 9).apply_to(plain)
    before, after = estimate_tokens(TEXT, plain._replace(factor=1.0, low=1.0, high=1.0)), estimate_tokens(TEXT, taught)
    assert abs(after.tokens - 2 * before.tokens) <= 2
    assert after.low <= before.low <= before.high < after.high


@pytest.mark.parametrize("value", [1.27, 1, {"factor": 1.27}, {"factor": 1.3, "low": 0.9, "high": 1.1, "receipts": 7}])
def test_a_factor_is_a_number_or_a_table(value) -> None:
    found = parse_factor(value)
    assert found.factor == (value if isinstance(value, int | float) else value["factor"])
    assert found.low <= 1 <= found.high


def test_a_factor_is_written_as_it_is_read() -> None:
    factor = Factor(1.27, 0.93, 1.08, 42)
    assert parse_factor(tomllib.loads(f"claude = {factor.to_toml()}")["claude"]) == factor


@pytest.mark.parametrize(
    "value",
    [
        *("1.2", True, None, [], {}, {"low": 0.9}, {"factor": "1"}, {"factor": 1.2, "more": 1}),
        *(0, -1, 100, float("nan"), float("inf")),
        *({"factor": 1, "low": 1.2}, {"factor": 1, "low": 0}, {"factor": 1, "high": 0.9}, {"factor": True}),
    ],
)
def test_anything_else_is_none(value) -> None:
    with pytest.raises(ValueError, match=r"is |holds "):
        parse_factor(value)
