"""Tool calls with their kind and outcome, computed once."""

from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.summary.call_kind import CallKind, classify_call
from ctxkit.core.summary.last_result import keep_last_result
from ctxkit.core.summary.outcome import STATED, CallOutcome, read_outcome
from ctxkit.core.summary.tool_call import ToolCall


class ClassifiedCall(NamedTuple):
    """A tool call with its kind and outcome."""

    call: ToolCall
    kind: CallKind
    outcome: CallOutcome


@keep_last_result
def classify_calls(calls: Sequence[ToolCall]) -> tuple[ClassifiedCall, ...]:
    """Return tool calls with their kinds and outcomes."""
    kinds = [classify_call(call) for call in calls]
    is_stated = any(
        kind == "run" and (call.failed or STATED.match(call.text)) for call, kind in zip(calls, kinds, strict=True)
    )
    return tuple(
        ClassifiedCall(call, kind, read_outcome(call, kind, is_stated=is_stated))
        for call, kind in zip(calls, kinds, strict=True)
    )
