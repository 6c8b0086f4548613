"""Log a turn as events: its tool results, its request, and the usage of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.core.store.label import shorten_ref
from ctxkit.core.usage.answer import COUNT_NAMES, describe_usage
from ctxkit.edge import events
from ctxkit.edge.gate_events import find_event_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ctxkit.core.count.amount import Amount
    from ctxkit.core.turn.report import TurnReport
    from ctxkit.core.turn.results import EnteredResult
    from ctxkit.core.usage.answer import Answer
    from ctxkit.edge.request import Call


def open_turn_log(call: Call) -> TurnLog:
    """Return the log of a turn, which writes nothing without a file of events."""
    return TurnLog(call.events_file, call.describe())


class TurnLog:
    """Appends the events of a turn to a file, if there is one, when the turn is in the history."""

    def __init__(self, path: str, common_facts: Mapping[str, str]) -> None:
        self._path, self._common_facts = path, common_facts
        self._results: list[EnteredResult] = []

    def add_result(self, result: EnteredResult) -> None:
        """Keep a result until the turn is recorded."""
        if self._path:
            self._results.append(result)

    def record_turn(
        self, report: TurnReport, before: int, count: Callable[[str], Amount], method: Callable[[Amount], str]
    ) -> None:
        """Record the results, and the request; ``before`` is its tokens before the steps of the turn."""
        if not self._path:
            return
        for entered in self._results:
            facts = _describe_result(entered, report.tokenizer, count, method)
            name = find_event_name(entered.result) if entered.result else "gate"
            events.record(self._path, name, {**self._common_facts, **facts})
        facts = _describe_turn(report, before)
        events.record(self._path, "turn", {"name": f"session {report.session}", **self._common_facts, **facts})

    def record_answer(self, name: str, answer: Answer | None) -> None:
        """Record what an answer used, and why it ended."""
        if not self._path:
            return
        facts: dict[str, Any] = {"name": name, **self._common_facts}
        if answer is not None:
            counts = describe_usage(answer.usage)
            facts |= {"source": answer.source, **{key: counts[key] for key in COUNT_NAMES}}
            facts |= {"stop": answer.final_stop.reason, **({"model": answer.model} if answer.model else {})}
        events.record(self._path, "usage", facts)


def _describe_result(
    entered: EnteredResult, tokenizer: str, count: Callable[[str], Amount], method: Callable[[Amount], str]
) -> dict[str, Any]:
    """Return the members of a result; its name has the id of the call, because a tool is called many times."""
    before, after, result = count(entered.original), count(entered.text), entered.result
    data = entered.original.encode("utf-8", "surrogatepass")
    lines = data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    original = {"bytes": len(data), "lines": lines, "tokens": before.tokens, "method": method(before)}
    return {
        "name": f"{entered.tool or 'tool result'} {entered.call}".rstrip(),
        "tool": entered.tool or None,
        "call": entered.call or None,
        "result": result.result if result else "raw",
        "tokens": after.tokens,
        "before_tokens": before.tokens,
        "after_tokens": after.tokens,
        "method": method(after),
        "tokenizer": tokenizer,
        "original": original,
        **({"ref": shorten_ref(result.ref)} if result and result.ref else {}),
        **({"kind": result.briefing.kind} if result and result.briefing else {}),
    }


def _describe_turn(report: TurnReport, before: int) -> dict[str, Any]:
    """Return the members of a turn: those of its report, with the number of deferred tools and mapped results."""
    facts = report.make_facts()
    left = {name: facts[name] for name in ("tokens", "high", "session", "results", "deferred")}
    kept = {name: value for name, value in facts.items() if name not in left}
    numbers = {"deferred": len(report.deferred), "results": len(report.gated)}
    return {**kept, **numbers, "before_tokens": before, "after_tokens": report.amount.tokens}
