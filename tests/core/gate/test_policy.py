import pytest

from ctxkit.core.brief.custom_kinds import KindRule
from ctxkit.core.gate.policy import GatePolicy
from ctxkit.core.store.label import Label
from ctxkit.core.text.retrieval_hint import PRESETS, Hint
from ctxkit.core.tokens.budget import Budget
from ctxkit.core.tokens.vocabularies import find_vocabulary


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
