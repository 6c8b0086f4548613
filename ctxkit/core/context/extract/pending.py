"""Pending work: the to-do list, unanswered requests and open calls."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.context.extract.answer import make_answer_forms
from ctxkit.core.context.extract.call_kind import classify_call, command_of
from ctxkit.core.context.extract.clip import clip_text
from ctxkit.core.context.extract.failures import describe_attempt
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.named_work import names_work
from ctxkit.core.context.extract.outcome import is_display_command
from ctxkit.core.context.extract.request_quote import is_text, quote_request_forms
from ctxkit.core.context.extract.requests import UserRequest
from ctxkit.core.context.extract.script_lines import find_script_lines
from ctxkit.core.context.extract.todo import TodoList
from ctxkit.core.context.extract.tool_call import ToolCall

_FINAL_CALLS = (
    "submit",
    "exit",
    "finish",
    "finish_task",
    "task_complete",
    "attempt_completion",
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
)
"""Calls that end a run and have no result."""
_WAITING = re.compile(
    r"(?:cd|sleep|wait|start-sleep|set-location|gh (?:run|pr) (?:list|view|watch|checks))\b", re.IGNORECASE
)
"""The beginning of a line that enters a folder, waits, or looks at what a server does."""
MIN_LINES, MAX_OPEN_CALL = 2, 320
"""Lines of a script, and maximum characters of a call without a result."""
MAX_UNANSWERED = 400
"""Maximum unanswered requests, the newest: a page considers as many items (``ranking.MAX_ITEMS``)."""


def find_todo_items(todo: TodoList) -> Iterator[PageItem]:
    """Yield the to-do list: one Pending bullet for each open item, one Facts bullet for all finished ones."""
    for at, words in enumerate(todo.active):
        yield PageItem("Pending", (f"{words} (in progress)", words), 835 - at, at)
    for at, words in enumerate(todo.open):
        yield PageItem("Pending", (words,), 825 - min(at, 20), 1000 + at)
    if todo.done:
        done_items = [item.rstrip(".") for item in todo.done]
        forms = [f"Done: {'; '.join(done_items)}."]
        forms += [f"Done: {'; '.join(done_items[-many:])}." for many in (8, 4, 2) if many < len(done_items)]
        yield PageItem("Facts", tuple(forms), 740, -2_900_000)


def find_open_items(
    requests: Sequence[UserRequest], calls: Sequence[ToolCall], messages: Sequence[tuple[int, str]]
) -> Iterator[PageItem]:
    """Yield unanswered requests and calls without a result.

    The task tells what a request says that only answers the agent.
    """
    last = max((at for at, words in messages if words.strip()), default=-1)
    last = max(last, max((call.at for call in calls), default=-1))
    unanswered = [request for request in requests if request.at > last]
    if unanswered and any(make_answer_forms(requests, messages)):
        unanswered.pop()
    for at, request in enumerate(unanswered[-MAX_UNANSWERED:]):
        is_open = names_work(request.text) and not (request.is_reply or is_text(request.text))
        if is_open and (forms := quote_request_forms(request.text)):
            yield PageItem("Pending", forms, max(720 - at, 700), 2000 + at)
    for call in calls[-12:]:
        is_open = call.answered_at < 0 and call.at >= last and not (is_final_call(call) or _only_looks(call))
        description = _describe_open_call(call) if is_open else ""
        if description not in ("", call.name):
            yield PageItem("Pending", (f"{call.name}: {_quote(description)} (no result yet)",), 610, 3000)


def _only_looks(call: ToolCall) -> bool:
    """Return whether a call only reads or notes something, so that nothing waits for its result."""
    kind = classify_call(call)
    return kind in ("todo", "read") or (kind == "run" and is_display_command(command_of(call)))


def _quote(command: str) -> str:
    """Return a command as code where it would read as several sentences."""
    return f"`{command}`" if ". " in f"{command} " and "`" not in command else command


def _describe_open_call(call: ToolCall) -> str:
    """Return the attempt of a call.

    A long script is told without the lines that only look or wait; of what is long even so, the first and the last line
    are told. The number of its lines follows.
    """
    kind = classify_call(call)
    lines = find_script_lines(call) if kind == "run" else []
    if len(lines) < MIN_LINES:
        return clip_text(describe_attempt(call, kind), MAX_OPEN_CALL)
    script = "; ".join(line.rstrip(";") for line in lines)
    if len(script) <= MAX_OPEN_CALL:
        return script
    acting = [line for line in lines if not (is_display_command(line) or _WAITING.match(line))] or lines
    script = "; ".join(line.rstrip(";") for line in acting)
    if len(script) > MAX_OPEN_CALL:
        script = f"{clip_text(acting[0], 100)}; …; {clip_text(acting[-1], 100)}"
    return f"{script} ({len(lines)} lines)"


def is_final_call(call: ToolCall) -> bool:
    """Return whether a call ends a run, so that no work remains."""
    attempt = describe_attempt(call, classify_call(call))
    return call.name in _FINAL_CALLS or attempt in _FINAL_CALLS or attempt.startswith(("submit ", _FINAL_CALLS[-1]))
