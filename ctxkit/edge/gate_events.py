"""Log decisions of the gate as events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.core.text.stream import CountedContent
from ctxkit.edge import events
from ctxkit.edge.gate_facts import describe_result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ctxkit.core.gate.decision import GatePolicy, GateResult

_SHORTENED = ("briefing", "refused")


def record_decision(
    path: str, gate_result: GateResult, policy: GatePolicy, call_facts: Mapping[str, Any], more: Mapping[str, Any]
) -> None:
    """Append a decision to a file of events, after its content was read to its end."""
    name, event_facts = describe_decision(_measure_passed(gate_result), policy)
    events.record(path, name, {**call_facts, **event_facts, **more})


def describe_decision(gate_result: GateResult, policy: GatePolicy) -> tuple[str, dict[str, Any]]:
    """Return the name and the members of the event of a decision."""
    result_facts = describe_result(gate_result, policy)
    event_facts = {"name": policy.label.name, **result_facts, **_count_change(result_facts)}
    return find_event_name(gate_result), {**event_facts, **_describe_ranges(gate_result)}


def _describe_ranges(gate_result: GateResult) -> dict[str, Any]:
    """Return the lines that a map quotes and names, by which later reads are told apart."""
    if gate_result.briefing is None:
        return {}
    from ctxkit.core.events.event import find_map_ranges

    return find_map_ranges(gate_result.briefing.text, gate_result.lines)._asdict()


def find_event_name(gate_result: GateResult) -> str:
    """Return the name of the event; for shortened content, it is the seed's."""
    return "tool_output_truncated" if gate_result.result in _SHORTENED else "gate"


def _measure_passed(gate_result: GateResult) -> GateResult:
    """Return the result with the bytes and lines of content that passed unchanged and was read to its end."""
    content = gate_result.content
    if gate_result.result in ("raw", "tight") and isinstance(content, CountedContent):
        return gate_result._replace(size=content.size, lines=content.lines)
    return gate_result


def _count_change(result_facts: dict[str, Any]) -> dict[str, int | None]:
    """Return the tokens of the content before the gate and after it, None if they are not known."""
    passed = result_facts["result"] in ("raw", "tight")
    before = result_facts["tokens"] if passed else result_facts["original"].get("tokens")
    return {"before_tokens": before, "after_tokens": result_facts["tokens"]}
