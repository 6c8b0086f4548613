import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.gate.decision import decide
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import TokenCount

BUDGET = Budget(1200, 200, used=500)


def test_content_fits_to_the_last_token_and_no_further() -> None:
    assert decide(TokenCount(500, 500, "exact"), BUDGET).fits
    assert not decide(TokenCount(501, 501, "exact"), BUDGET).fits


def test_the_high_end_decides_for_counts_too() -> None:
    assert not decide(TokenCount(400, 520, "estimate"), BUDGET).fits
    assert decide(TokenCount(400, 500, "estimate"), BUDGET).fits


def test_content_that_fits_and_reaches_the_trigger_is_tight() -> None:
    assert decide(TokenCount(449, 449, "exact"), BUDGET).tight is False
    assert decide(TokenCount(450, 450, "exact"), BUDGET).tight is True


def test_what_does_not_fit_is_not_tight() -> None:
    decision = decide(TokenCount(900, 900, "exact"), BUDGET)
    assert (decision.fits, decision.tight) == (False, False)


@pytest.mark.parametrize(("used", "blocked"), [(979, False), (980, True), (1000, True)])
def test_nothing_but_nothing_fits_from_the_hard_block_on_unless_it_is_admitted(used: int, blocked: bool) -> None:
    full = Budget(1000, 0, used)
    assert decide(TokenCount(0, 0, "exact"), full).fits
    left = decide(TokenCount(1, 1, "exact"), full)
    assert (left.fits, left.blocked) == (used == 979, used == 980)
    assert decide(TokenCount(1, 1, "exact"), full, ignore_hard_block=True).fits == (used < 1000)
    assert full.is_blocked() == blocked


def test_a_count_that_stopped_early_never_fits() -> None:
    assert not decide(TokenCount(1, 1, "exact", complete=False), BUDGET).fits


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_a_limit_only_ever_takes_room_away(tokens: int, limit: int) -> None:
    tally = TokenCount(tokens, tokens, "exact")
    limited = decide(tally, BUDGET, limit)
    assert limited.fits == (tokens <= min(limit, 500))
    assert decide(tally, BUDGET).fits or not limited.fits
