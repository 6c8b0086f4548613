from ctxkit.core.compact.explanation import explain_outcome
from tests.core.compact.sizes import compact, policy, session


def test_all_that_left_is_explained_with_the_way_back() -> None:
    outcome = compact(session("openai"), policy(2048))
    removals = list(explain_outcome(outcome))
    left = {number for removal in removals if removal.what == "left" for number in range(removal.first, removal.last + 1)}
    path = outcome.conversation.path
    assert left == {number for number, record in enumerate(path, 1) if record.at in outcome.dropped}
    assert sum(removal.tokens for removal in removals if removal.what == "left") < outcome.before.amount.tokens
    assert {removal.ref for removal in removals} <= {content.ref[:16] for content in outcome.stored}
    assert str(removals[0]).endswith(f"tokens; ctxkit cache get {removals[0].ref}")
    assert removals[0].to_object()["reason"] == removals[0].reason


def test_results_that_were_cleared_are_named_with_their_tool() -> None:
    outcome = compact(session("openai"), policy(2048, stages=("clear",)), stores=False)
    removals = list(explain_outcome(outcome))
    assert len(removals) == sum(1 for _ in outcome.plan.edits())
    assert {removal.what for removal in removals} <= {"result of run cleared", "result of read cleared"}
    assert all(str(removal).endswith("stored nowhere") for removal in removals)


def test_nothing_left_an_unchanged_conversation() -> None:
    assert list(explain_outcome(compact(session("openai"), policy(200_000)))) == []
