"""Usage by component, in rows and members; tests/commands/test_budget.py compares the whole output."""

import pytest

from ctxkit.core.budget.context_budget import ContextBudget
from ctxkit.core.budget.measure import ComponentUsage, ContextReport
from ctxkit.core.count.amount import Amount, exact_amount
from ctxkit.edge import budget_view


def report_of(conversation: Amount, unmeasured: int = 0) -> ContextReport:
    usage = ComponentUsage(conversation=conversation)
    budget = usage.apply_to(ContextBudget(1000, 200))._replace(unmeasured=unmeasured)
    return ContextReport(usage, budget, 3, 1, "o200k", "s")


def test_an_estimate_has_its_range() -> None:
    text = budget_view.format_report(report_of(Amount(80, 100, 130)))
    assert "an estimate: 80 to 130 tokens\n" in text
    facts = budget_view.make_facts(report_of(Amount(80, 100, 130)))
    assert (facts["method"], facts["low"], facts["high"]) == ("estimate", 80, 130)
    assert "an estimate" not in budget_view.format_report(report_of(exact_amount(100)))


@pytest.mark.parametrize(("used", "signs"), [(0, 0), (400, 20), (800, 40), (8000, 40)])
def test_the_bar_is_the_share_of_the_effective_window(used: int, signs: int) -> None:
    row = budget_view.format_report(report_of(exact_amount(used))).splitlines()[3]
    assert row.count("#") == signs


def test_what_only_the_ledger_knows_has_a_row() -> None:
    assert "in the ledger alone" in budget_view.format_report(report_of(exact_amount(10), 50))
    assert "in the ledger alone" not in budget_view.format_report(report_of(exact_amount(10)))


def test_the_note_is_a_member_on_request() -> None:
    report = report_of(exact_amount(100))
    assert "note" not in budget_view.make_facts(report)
    assert budget_view.make_facts(report, "short")["note"] == budget_view.make_note(report, "short") == ""
