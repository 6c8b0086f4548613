"""Log calls as events: what a call read or changed, and its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxkit.app.services import engines
from ctxkit.edge import event_counter, events

if TYPE_CHECKING:
    from ctxkit.core.calls.function_call import CallResult, FunctionCall
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.edge.request import Call


def record_call(result: CallResult, function_call: FunctionCall, call: Call) -> None:
    """Append the events of a function call to the file of events, if there is one."""
    path, common_facts = call.events_file, call.describe()
    if not path:
        return
    for name, facts in result.events:
        events.record(path, name, {**common_facts, **facts, "call": function_call.id or None})
    tokens = event_counter.measure((result.content,), lambda: engines.make_count_options(*call))
    facts = {
        "name": function_call.name[:80],
        "call": function_call.id or None,
        "is_error": result.is_error,
        "bytes": len(result.content),
        **_count_entered(tokens),
    }
    events.record(path, "call", {**common_facts, **facts})


def describe_page(
    page: bytes, name: str, ref: str, function: str, tokens: dict[str, JsonValue]
) -> tuple[str, dict[str, Any]]:
    """Return the event of a page: of stored content it is ``cache_get``, of a file ``gate``."""
    size = {"bytes": len(page), "lines": page.count(b"\n") + (page[-1:] not in (b"", b"\n"))}
    if function == "read_result":
        return "cache_get", {"name": name, "ref": ref, **size, **_count_entered(tokens)}
    facts = {"name": name, "tool": function, "result": "raw", "tokens": tokens["tokens"]}
    entered = {**_count_entered(tokens), "before_tokens": tokens["tokens"]}
    return "gate", {**facts, **entered, "original": {**size, **tokens}}


def _count_entered(tokens: dict[str, Any]) -> dict[str, Any]:
    return {"before_tokens": 0, "after_tokens": tokens["tokens"], "method": tokens["method"]}
