"""The facts of an answer; tests/commands/test_turn.py takes answers in."""

from ctxkit.app.turn.answer import TakenAnswer
from ctxkit.core.usage.answer import Usage


def test_facts_have_the_terms_of_all_providers() -> None:
    """Seed 002: "Adapters can map provider responses to this shape", "Reply, ToolCalls, Usage, StopReason"."""
    facts = TakenAnswer("Hi.", (), Usage(9, output=2), "stop", "end_turn", "").make_facts()
    assert (facts["reply"], facts["stop_reason"], facts["stop_raw"], facts["message"]) == (
        "Hi.",
        "stop",
        "end_turn",
        None,
    )
    assert (facts["usage"]["input"], facts["usage"]["total"]) == (9, 11)
    assert TakenAnswer("", (), None, "unknown", "", "").make_facts()["usage"] is None
