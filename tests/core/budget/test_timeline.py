"""The usage over the turns of a conversation."""

from ctxkit.core.budget.context_budget import ContextBudget
from ctxkit.core.budget.timeline import (
    ContextCut,
    TurnUsage,
    build_ledger_timeline,
    build_timeline,
    make_chart,
    place_cuts,
)
from ctxkit.core.count.amount import exact_amount
from ctxkit.core.count.message_tokens import MessageTokens
from ctxkit.core.session.ledger import LedgerEntry
from ctxkit.core.session.ledger_interface import ContextChange, DatedEntry


def row(role: str, tokens: int, *, has_results: bool = False) -> MessageTokens:
    return MessageTokens(role, "", (("other", exact_amount(tokens)),), has_results)


ROWS = [row("system", 50), row("user", 10), row("assistant", 20), row("user", 5, has_results=True), row("user", 7), row("assistant", 8)]


def test_a_turn_begins_with_a_message_of_the_user_not_with_a_result() -> None:
    timeline = build_timeline(ROWS, TurnUsage(system_prompt=50))
    assert timeline.turns == (TurnUsage(50, conversation=35), TurnUsage(50, conversation=50))
    assert timeline.cuts == ()


def test_what_no_message_contains_is_there_from_the_start() -> None:
    timeline = build_timeline(ROWS, TurnUsage(system_prompt=30, skill_prompts=30, tool_descriptions=9))
    assert timeline.turns == (TurnUsage(30, 30, 9, 35), TurnUsage(30, 30, 9, 50))


def test_a_cut_leaves_the_used_tokens_after_it() -> None:
    timeline = build_timeline(ROWS, TurnUsage(system_prompt=50), [ContextCut(4, "compaction", 70)])
    assert timeline.turns == (TurnUsage(50, conversation=35), TurnUsage(50, conversation=35))
    assert timeline.cuts == ((1, "compaction"),)
    last = build_timeline(ROWS, TurnUsage(system_prompt=50), [ContextCut(99, "edit", 60)])
    assert [turn.conversation for turn in last.turns] == [35, 50, 10]
    assert last.cuts == ((2, "edit"),)


def test_a_cut_is_placed_by_its_time() -> None:
    changes = [ContextChange("compaction", 90, 70, 2.5), ContextChange("reset", 90, 0, 9.0)]
    assert place_cuts(changes, [1.0, 2.0, 3.0]) == [ContextCut(2, "compaction", 70), ContextCut(3, "reset", 0)]


def test_a_ledger_has_a_column_for_each_content() -> None:
    entries = [DatedEntry(LedgerEntry("log", tokens, "exact", "raw"), at) for tokens, at in ((10, 1.0), (20, 2.0), (5, 4.0))]
    timeline = build_ledger_timeline(entries, [ContextChange("reset", 30, 3, 3.0)])
    assert [turn.conversation for turn in timeline.turns] == [10, 30, 3, 8]
    assert timeline.cuts == ((2, "reset"),)


def test_the_chart_has_a_series_for_each_component_and_the_window() -> None:
    chart = make_chart("t", build_timeline(ROWS, TurnUsage(system_prompt=50)), ContextBudget(1000, 200))
    assert {series.name: series.values for series in chart.series}["conversation"] == (35, 50)
    assert [limit.value for limit in chart.limits] == [800, 760]
    assert chart.labels == ("1", "2")
