"""The parts of a conversation from which pages and records quote."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.record import Record
from ctxkit.core.context.extract.call_kind import classify_call
from ctxkit.core.context.extract.declined_calls import add_declined_requests
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.overruling import changes_course
from ctxkit.core.context.extract.pending import find_open_items, find_todo_items
from ctxkit.core.context.extract.requests import UserRequest, find_requests
from ctxkit.core.context.extract.todo import TodoList, drop_reported_steps, find_todo_list
from ctxkit.core.context.extract.tool_call import ToolCall, find_tool_calls, strip_commands

_UNFINISHED = re.compile(
    r"\b(?:remain(?:s|ing)?|not yet|still|pending|next steps?|to-?do|left to do|unfinished|incomplete|blocked"
    r"|could not|couldn['’]t|unable)\b|未完成|尚未|待办|残り|남은",
    re.IGNORECASE,
)
"""What a report says of work that is not finished."""
MIN_LATER_CALLS, MIN_REPORT = 4, 400
"""Calls that leave a to-do list as it is while the work goes on, and characters of a message that reports on it."""
MAX_CLOSING_CALLS = 4
"""Maximum calls after a report, such as a last check."""


class ConversationParts(NamedTuple):
    """The user's requests, the tool calls, the agent's messages with their positions, and the last to-do list."""

    requests: Sequence[UserRequest]
    calls: Sequence[ToolCall]
    messages: Sequence[tuple[int, str]]
    todo: TodoList

    @property
    def does_work(self) -> bool:
        """Return whether the agent changed files or ran commands; otherwise the conversation is only talk."""
        return any(classify_call(call) in ("edit", "run") for call in self.calls)

    @property
    def current_todo(self) -> TodoList:
        """Return the to-do list as far as the work did not leave it behind.

        It is empty if the agent answered two requests after its last change. It has no open steps if several calls
        followed a request that rejects what the agent did.
        """
        last = max((at for at, words in self.messages if words.strip()), default=-1)
        if _count_later(self.todo, [request for request in self.requests if request.at < last]) > 1:
            return TodoList()
        later = (request for request in self.requests if request.at > self.todo.at)
        rejected_at = next((request.at for request in later if changes_course(request.text)), -1)
        works_on = rejected_at >= 0 and sum(call.at > rejected_at for call in self.calls) >= MIN_LATER_CALLS
        return self.todo._replace(open=(), active=()) if works_on else self.todo

    def find_pending_items(self) -> Iterator[PageItem]:
        """Yield the items of the to-do list, then everything else that is open."""
        yield from find_todo_items(self.todo)
        yield from find_open_items(self.requests, self.calls, self.messages)


def find_parts(records: Sequence[Record]) -> ConversationParts:
    """Return the parts of a conversation."""
    calls = find_tool_calls(records)
    messages = [
        (at, strip_commands(record.words))
        for at, record in enumerate(records)
        if record.role == "assistant" and record.kind == "message"
    ]
    requests = add_declined_requests(find_requests(records), calls)
    todo = find_todo_list(calls, messages)
    todo = drop_reported_steps(todo, _find_report(todo, calls, messages))
    return ConversationParts(requests, calls, messages, TodoList() if _is_left_behind(todo, requests, calls) else todo)


def _find_report(todo: TodoList, calls: Sequence[ToolCall], messages: Sequence[tuple[int, str]]) -> str:
    """Return the agent's report after the work that followed the last change of a to-do list, empty without one.

    Only a few calls may come after it: a last check, or a removal of what the work left.
    """
    later = [call.at for call in calls if call.at > todo.at]
    if todo.is_empty or len(later) < MIN_LATER_CALLS:
        return ""
    end = later[max(len(later) - 1 - MAX_CLOSING_CALLS, MIN_LATER_CALLS - 1)]
    report = "\n".join(words for at, words in messages if at > end and len(words) >= MIN_REPORT)
    return "" if _UNFINISHED.search(report) else report


def _is_left_behind(todo: TodoList, requests: Sequence[UserRequest], calls: Sequence[ToolCall]) -> bool:
    """Return whether the user moved on from a list of boxes in a message: two requests came after it."""
    is_in_message = not any(call.at == todo.at for call in calls)
    return is_in_message and _count_later(todo, requests) > 1


def _count_later(todo: TodoList, requests: Sequence[UserRequest]) -> int:
    return sum(request.at > todo.at and not request.is_reply for request in requests)
