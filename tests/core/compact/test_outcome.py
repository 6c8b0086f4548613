"""An outcome says what came in and what goes out."""

from ctxkit.core.compact.outcome import CompactionOutcome, ConversationSize
from tests.core.compact.sizes import compact, policy, session, total


def test_an_outcome_that_changes_nothing_holds_no_changes() -> None:
    size = ConversationSize()
    outcome = CompactionOutcome("unchanged", b"x", "it is below the trigger", size, size)
    assert outcome.plan.is_empty
    assert (outcome.stage_reports, outcome.stored, outcome.dropped) == ((), (), {})


def test_its_sizes_are_those_of_the_input_and_of_the_output() -> None:
    before = session("openai")
    outcome = compact(before, policy(4096))
    assert outcome.before.amount.high == total(before)
    assert outcome.before.size == len(before.encode(before.text))
    assert outcome.after.size == len(outcome.content)
    stages = outcome.stage_reports
    assert stages[0].before == outcome.before.amount.high
    assert all(report.after <= report.before for report in stages if not report.undone)
