"""What is asked of a compaction, under the settings."""

import pytest

from ctxkit.core.compact.policy import CachePrices
from ctxkit.core.errors import UsageError
from ctxkit.edge import settings
from ctxkit.edge.compact_options import CompactOptions
from ctxkit.edge.request import Call, CliRequest

ASKED = CliRequest(window=10_000, used=500)


def policy(wanted, asked=ASKED, **environ):
    given = {f"CTXKIT_{name.upper()}": value for name, value in environ.items()}
    return wanted.make_policy(Call(asked, settings.load(given, "/")))


def test_flags_come_before_settings_and_settings_before_defaults() -> None:
    assert policy(CompactOptions())[:6] == (10_000, 2_000, 500, 0.95, 0.98, 0.5)
    made = policy(CompactOptions(trigger=0.8, keep_recent=0), low_water="0.3", keep_recent="700", compact_trigger="0.9")
    assert (made.trigger, made.low_water, made.recent, made.last) == (0.8, 0.3, 0, None)
    assert policy(CompactOptions(), keep_recent="700").recent == 700


def test_so_many_messages_are_kept_instead_of_so_many_tokens() -> None:
    assert policy(CompactOptions(keep_last=4), keep_recent="700")[6:8] == (None, 4)
    assert policy(CompactOptions(keep_recent=300), keep_last="4")[6:8] == (300, None)
    assert policy(CompactOptions(), keep_last="4")[6:8] == (None, 4)


def test_the_page_has_a_limit_of_its_own() -> None:
    assert policy(CompactOptions()).page_tokens is None
    assert policy(CompactOptions(page_tokens=200)).page_limit == 200


def test_what_a_session_has_used_is_the_conversation_itself() -> None:
    assert policy(CompactOptions(), ASKED._replace(session="s")).overhead == 0


def test_prices_count_only_where_somebody_asks_for_them() -> None:
    assert policy(CompactOptions(cache_write=2.0)).prices is None
    made = policy(CompactOptions(cache_aware=True, cache_write=2.0, turns=7))
    assert (made.prices, made.turns) == (CachePrices(2.0, 0.1), 7)


def test_stages_run_in_their_order_whatever_the_list_says() -> None:
    assert policy(CompactOptions(stages="truncate, clear")).stages == ("clear", "truncate")


@pytest.mark.parametrize("wanted", [CompactOptions(stages="burn"), CompactOptions(low_water=0.95), CompactOptions(trigger=0.4, low_water=0.4)])
def test_what_contradicts_itself_is_refused(wanted) -> None:
    with pytest.raises(UsageError):
        policy(wanted)


def test_the_default_low_water_goes_down_with_an_early_trigger() -> None:
    assert policy(CompactOptions()).low_water == 0.5
    assert round(policy(CompactOptions(trigger=0.38)).low_water, 3) == 0.2
    assert policy(CompactOptions(trigger=0.8), low_water="0.5").low_water == 0.5


def test_observations_are_kept_by_number_and_nothing_else_is_changed() -> None:
    made = policy(CompactOptions(keep_observations=0), keep_last="4")
    assert (made.observations, made.stages) == (0, ("clear",))
    for other in ({"stages": "clear"}, {"keep_last": 2}, {"keep_recent": 0}):
        with pytest.raises(UsageError, match="--keep-observations cannot be combined with --"):
            policy(CompactOptions(keep_observations=10, **other))
