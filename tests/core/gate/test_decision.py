"""After an error, content passes unchanged with a warning, unless the policy is strict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxkit.core.brief.custom_kinds import KindRule
from ctxkit.core.gate.decision import UNCOUNTED, GatePolicy, decide, pass_unchanged
from ctxkit.core.store.label import Label
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.core.tokens.vocabulary import find_vocabulary

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


POLICY = GatePolicy(Budget(1000, 100), find_vocabulary("bytes/3"), Hint(PRESETS["ctxkit"]))


@pytest.mark.parametrize(
    ("error", "warning"),
    [
        (OSError(28, "No space left on device", "/x"), "content passes unchanged: No space left on device: /x"),
        (ValueError("bad"), "content passes unchanged: bad"),
        (RecursionError(), "content passes unchanged: RecursionError"),
    ],
)
def test_the_warning_says_what_went_wrong_and_where(error, warning: str) -> None:
    result = pass_unchanged([b"a", b"b"], error, POLICY)
    assert (result.result, result.warning, result.token_count) == ("raw", warning, UNCOUNTED)
    assert list(result.content) == [b"a", b"b"]


def test_a_strict_policy_raises_the_error() -> None:
    with pytest.raises(ValueError, match="bad"):
        pass_unchanged([], ValueError("bad"), POLICY._replace(strict=True))


def terms_of(window: int, **more) -> GatePolicy:
    return GatePolicy(Budget(window, 0), find_vocabulary("qwen3"), Hint(PRESETS["ctxkit"]), **more)


def test_content_is_called_by_its_label_else_stdin() -> None:
    assert terms_of(1000, label=Label("build.log", tool="sh")).title == "build.log"
    assert terms_of(1000).title == "stdin"
    assert terms_of(1000, label=Label(tool="sh")).title == "stdin"


@pytest.mark.parametrize(("limit", "target"), [(None, 500), (499, 499), (500, 500), (900, 500), (0, 0)])
def test_a_briefing_may_take_half_the_room_or_the_limit_where_that_is_less(limit: int | None, target: int) -> None:
    assert terms_of(1000, limit=limit).target == target


@pytest.mark.parametrize(("cap", "limit", "target"), [(300, None, 300), (9_000, None, 5_000), (7_000, 400, 400), (0, None, 2_500)])
def test_a_rule_says_how_much_a_briefing_may_take_of_that(cap: int, limit: int | None, target: int) -> None:
    policy = terms_of(10_000, limit=limit, rule=KindRule("make", ("make",), target=cap))
    assert policy._replace(budget=policy.budget._replace(briefing_cap=2_500)).target == target


def test_unless_told_otherwise_nothing_is_forced_said_before_or_strict() -> None:
    terms = terms_of(1000)
    assert (terms.limit, terms.content_type, terms.preface(), terms.strict) == (None, "", "", False)


def test_lists_may_call_content_otherwise_than_its_map() -> None:
    terms = terms_of(1000, label=Label("curl -u ana:***"), briefing_title="curl -u ana:pw")
    assert (terms.title, terms.display_name) == ("curl -u ana:pw", "curl -u ana:***")
    assert terms_of(1000, label=Label("a")).display_name == "a"
