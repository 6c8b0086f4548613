"""Trajectories in the Agent Trajectory Interchange Format (ATIF 1.0 to 1.7), as Harbor and its agents write them.

A step of the agent contains its calls and their results. Some converters write the results as a step of their own.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import make_result_value as make_result_value
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.editing import wrap_results as wrap_results
from ctxkit.core.chat.model.blocks import read_parts
from ctxkit.core.chat.model.calls_and_results import (
    enumerate_blocks,
    find_passages,
    is_plain_text,
    parse_arguments,
    read_result_text,
)
from ctxkit.core.chat.model.json_fields import dump_value, get_number, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    ConversationStart,
    MessagePart,
    Place,
    RecordCall,
    RecordContent,
    RecordResult,
    Role,
    UsageReceipt,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "atif", "", True
RULES = ApiRules("near", summary_role="user")
_VERSION = "ATIF-v"
_ROLES: Final[dict[str, Role]] = {"system": "system", "user": "user", "agent": "assistant"}
_NO_STEP = "not a step: it has no source, no id or no message"
_STATUS_KEYS = ("exit_code", "exec_exit_code", "return_code", "returncode")
"""Members of the additional data of a result, or of its step, with the status of a command."""


class _StepResult(NamedTuple):
    """A result in a step: its position, the id of its call, empty if it is not known, and its content."""

    at: int
    id: str
    value: dict[str, JsonValue]


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a trajectory, or a step of one."""
    is_trajectory = get_text(value, "schema_version").startswith(_VERSION) and isinstance(value.get("steps"), list)
    return is_trajectory or _is_step(value)


def _is_step(value: JsonValue) -> bool:
    return isinstance(value, dict) and get_text(value, "source") in _ROLES and {"step_id", "message"} <= value.keys()


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the messages of a trajectory, or of one step; raise ValueError if there is none."""
    if _is_step(value):
        yield from _read_step(value)
        return
    if not is_format_of(value):
        raise ValueError(_NO_STEP)
    yield ConversationStart()
    for step in value["steps"]:
        if not _is_step(step):
            raise ValueError(_NO_STEP)
        yield from _read_step(step)


def _read_step(step: dict[str, JsonValue]) -> Iterator[ChatEntry]:
    """Yield the message of a step, and one with the results of its calls."""
    calls, results = get_objects(step, "tool_calls"), _find_results(step)
    if not _holds_only_results(step, results):
        thoughts = read_parts(step.get("reasoning_content"), "thinking")
        spoken = [
            MessagePart("call", dump_value(call.get("arguments")), get_text(call, "function_name")) for call in calls
        ]
        ids = tuple(get_text(call, "tool_call_id") for call in calls)
        parts = (*thoughts, *read_parts(step.get("message")), *spoken)
        yield ChatMessage(_ROLES[get_text(step, "source")], parts, calls=ids)
    if results:
        outputs = tuple(part for result in results for part in read_parts(result.value.get("content"), "result"))
        yield ChatMessage("tool", outputs, answers=tuple(result.id for result in results))


def _find_results(step: dict[str, JsonValue]) -> list[_StepResult]:
    """Return the results of a step; those that name no call answer the calls in order, a single one the last call."""
    calls = [get_text(call, "tool_call_id") for call in get_objects(step, "tool_calls")]
    values = list(enumerate_blocks(get_object(step, "observation").get("results")))
    own = get_text(get_object(step, "extra"), "tool_call_id") if not calls else ""
    ids = calls if len(values) == len(calls) else calls[-1:] if len(values) == 1 else []
    unnamed = dict(zip((at for at, _ in values), ids or [own] * len(values), strict=False))
    return [_StepResult(at, get_text(item, "source_call_id") or unnamed.get(at, ""), item) for at, item in values]


def _holds_only_results(step: dict[str, JsonValue], results: Sequence[_StepResult]) -> bool:
    """Return whether a step of the agent only repeats results, whose calls are in the step before it."""
    if not results or get_text(step, "source") != "agent" or get_objects(step, "tool_calls"):
        return False
    return read_result_text(step.get("message")).strip() in ("", _join_results(results).strip())


def _join_results(results: Sequence[_StepResult]) -> str:
    return "\n".join(read_result_text(result.value.get("content")) for result in results)


def find_entry_list(document: JsonValue) -> Place | None:
    """Return the place of the steps in a trajectory."""
    return ("steps",) if isinstance(document, dict) and isinstance(document.get("steps"), list) else None


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a step."""
    step_results = _find_results(value)
    is_copy = _holds_only_results(value, step_results)
    answered = {result.id for result in step_results}
    is_shared = any(not get_text(result.value, "source_call_id") for result in step_results)  # as of one terminal
    return RecordContent(
        "tool" if is_copy else _ROLES.get(get_text(value, "source"), "user"),
        calls=tuple(
            _read_call(call, at, is_answered=is_shared or get_text(call, "tool_call_id") in answered)
            for at, call in enumerate_blocks(value.get("tool_calls"))
        ),
        results=tuple(_read_result(result, value, is_copy=is_copy) for result in step_results),
        passages=() if is_copy else tuple(find_passages(value.get("message"), ("message",))),
        receipt=_read_receipt(get_object(value, "metrics")),
    )


def _read_call(call: dict[str, JsonValue], at: int, *, is_answered: bool) -> RecordCall:
    unit: Place = ("tool_calls", at)
    name, arguments = get_text(call, "function_name"), parse_arguments(call.get("arguments"))
    return RecordCall(get_text(call, "tool_call_id"), name, arguments, (*unit, "arguments"), unit, is_answered)


def _read_result(result: _StepResult, step: dict[str, JsonValue], *, is_copy: bool) -> RecordResult:
    content = result.value.get("content")
    unit: Place = ("observation", "results", result.at)
    copies: tuple[Place, ...] = (("message",),) if is_copy and get_text(step, "message") else ()
    failed = any(map(_has_failed, (get_object(result.value, "extra"), get_object(step, "extra"))))
    text, plain = read_result_text(content), is_plain_text(content)
    return RecordResult(result.id, text, (*unit, "content"), "", failed, plain, copies, unit)


def _has_failed(extra: dict[str, JsonValue]) -> bool:
    return extra.get("is_error") is True or any(get_number(extra, key) for key in _STATUS_KEYS)


def _read_receipt(metrics: dict[str, JsonValue]) -> UsageReceipt | None:
    """Return the token usage of a step; its input includes cached tokens, unless fewer tokens than those are stated."""
    context, cached = get_number(metrics, "prompt_tokens"), get_number(metrics, "cached_tokens")
    context = context if context >= cached else context + cached
    return UsageReceipt(context, get_number(metrics, "completion_tokens")) if context else None


def make_result(call: RecordCall, text: str) -> JsonValue:
    """Return a step with the result of a call."""
    results: list[JsonValue] = [{"source_call_id": call.id, "content": text}]
    return {"step_id": 0, "source": "agent", "message": "", "observation": {"results": results}}


def make_summary(text: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the step of a summary; its number precedes that of the next step."""
    del key, parent
    number = max(get_number(neighbor, "step_id") - 1, 1)
    return ({"step_id": number, "source": "system" if role == "system" else "user", "message": text},)
