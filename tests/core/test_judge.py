import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.budget import Budget
from ctxkit.core.judge import judge
from ctxkit.core.tally import Tally

BUDGET = Budget(1200, 200, used=500)


def test_content_fits_to_the_last_token_and_no_further():
    assert judge(Tally(500, 500, "exact"), BUDGET).fits
    assert not judge(Tally(501, 501, "exact"), BUDGET).fits


def test_the_high_end_of_an_estimate_decides():
    assert not judge(Tally(400, 520, "estimate"), BUDGET).fits
    assert judge(Tally(400, 500, "estimate"), BUDGET).fits


def test_content_that_fits_and_reaches_the_trigger_is_tight():
    assert judge(Tally(449, 449, "exact"), BUDGET).tight is False
    assert judge(Tally(450, 450, "exact"), BUDGET).tight is True


def test_what_does_not_fit_is_not_tight():
    verdict = judge(Tally(900, 900, "exact"), BUDGET)
    assert (verdict.fits, verdict.tight) == (False, False)


@pytest.mark.parametrize(("used", "blocked"), [(979, False), (980, True), (1000, True)])
def test_nothing_but_nothing_fits_from_the_hard_block_on_unless_it_is_admitted(used, blocked):
    full = Budget(1000, 0, used)
    assert judge(Tally(0, 0, "exact"), full).fits
    left = judge(Tally(1, 1, "exact"), full)
    assert (left.fits, left.blocked) == (used == 979, used == 980)
    assert judge(Tally(1, 1, "exact"), full, admit=True).fits == (used < 1000)
    assert full.blocked() == blocked


def test_a_count_that_stopped_early_never_fits():
    assert not judge(Tally(1, 1, "exact", whole=False), BUDGET).fits


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_a_limit_only_ever_takes_room_away(tokens, limit):
    tally = Tally(tokens, tokens, "exact")
    limited = judge(tally, BUDGET, limit)
    assert limited.fits == (tokens <= min(limit, 500))
    assert judge(tally, BUDGET).fits or not limited.fits
