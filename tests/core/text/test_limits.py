"""The limits agree with one another."""

from ctxkit.core.text import limits
from ctxkit.core.tokens.token_count import UNSPLIT


def test_smaller_limits_are_below_larger_ones() -> None:
    assert UNSPLIT <= limits.WHOLE_DOCUMENT <= limits.EDITABLE


def test_what_is_read_as_a_whole_fits_the_promised_memory() -> None:
    promised = 400 * limits.MB
    assert promised >= 20 * limits.WHOLE_DOCUMENT
    assert promised >= 5 * limits.EDITABLE
    assert promised > 60 * UNSPLIT


def test_every_limit_is_a_positive_number() -> None:
    values = {name: value for name, value in vars(limits).items() if name.isupper()}
    assert [name for name, value in values.items() if value <= 0] == []
