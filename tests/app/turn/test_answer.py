"""The facts of an answer; tests/commands/test_turn.py takes answers in."""

import json
from pathlib import Path

from ctxkit.app.turn.answer import TakenAnswer, TurnLog
from ctxkit.core.budget.context_budget import ContextBudget
from ctxkit.core.count.amount import Amount, exact_amount
from ctxkit.core.gate.decision import GateResult
from ctxkit.core.tokens.token_count import TokenCount
from ctxkit.core.turn.results import EnteredResult
from ctxkit.core.turn.steps import TurnReport
from ctxkit.core.usage.answer import Answer, Stop, Usage


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


MAPPED = GateResult("briefing", TokenCount(9, 9, "exact"), (), "f" * 64)
REPORT = TurnReport(
    *("s", "openai", exact_amount(400), "exact", "o200k", ContextBudget(1000, 200), 3, 1),
    *(("compact",), ("x", "y"), (), ()),
)


def count(text: str) -> Amount:
    return exact_amount(len(text))


def record(path: Path, *results: EnteredResult) -> list[dict]:
    log = TurnLog(str(path), {"session": "s", "turn": "4"})
    for result in results:
        log.add_result(result)
    assert not path.exists(), "nothing is logged before the turn is in the history"
    log.record_turn(REPORT, 250, count, lambda _amount: "exact")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_results_come_before_their_turn(tmp_path: Path) -> None:
    mapped = EnteredResult("c1", "bash", "one\ntwo\nthree", "a map", MAPPED)
    events = record(tmp_path / "log", mapped, EnteredResult("c2", "", "raw", "raw", None))
    assert [event["event"] for event in events] == ["tool_output_truncated", "gate", "turn"]
    assert {event["turn"] for event in events} == {"4"}
    assert [event["name"] for event in events] == ["bash c1", "tool result c2", "session s"]
    assert (events[0]["before_tokens"], events[0]["after_tokens"], events[0]["ref"]) == (13, 5, "f" * 16)
    assert events[0]["original"] == {"bytes": 13, "lines": 3, "tokens": 13, "method": "exact"}
    assert (events[1]["result"], events[1]["before_tokens"], events[1]["after_tokens"]) == ("raw", 3, 3)


def test_a_turn_has_the_tokens_before_and_after_it(tmp_path: Path) -> None:
    (event,) = record(tmp_path / "log")
    assert (event["before_tokens"], event["after_tokens"], event["steps"]) == (250, 400, ["compact"])
    assert (event["deferred"], event["results"], event["appended"]) == (2, 0, 1)


def test_an_answer_is_an_event_of_usage(tmp_path: Path) -> None:
    log = TurnLog(str(tmp_path / "log"), {"session": "s", "model": "alias"})
    log.record_answer("session s", Answer("openai", Usage(90, output=7), Stop("limit"), model="gpt-5"))
    log.record_answer("session s", None)
    first, second = (json.loads(line) for line in (tmp_path / "log").read_text().splitlines())
    assert (first["input_uncached"], first["output"], first["stop"], first["model"]) == (90, 7, "limit", "gpt-5")
    assert "stop" not in second


def test_without_a_file_nothing_is_kept() -> None:
    log = TurnLog("", {})
    log.add_result(EnteredResult("c1", "bash", "x", "x", None))
    log.record_turn(REPORT, 0, count, lambda _amount: "exact")
    log.record_answer("s", None)
    assert not log._results
