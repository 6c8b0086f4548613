"""The parts of a conversation from which pages and records quote."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.record import Record
from ctxkit.core.context.extract.call_kind import classify_call
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.pending import find_open_items, find_todo_items
from ctxkit.core.context.extract.requests import UserRequest, find_requests
from ctxkit.core.context.extract.todo import TodoList, find_todo_list
from ctxkit.core.context.extract.tool_call import ToolCall, find_tool_calls, strip_commands


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
    def has_old_todo(self) -> bool:
        """Return whether the work left the to-do list behind: the agent answered two requests after its last change."""
        last = max((at for at, words in self.messages if words.strip()), default=-1)
        return _count_later(self.todo, [request for request in self.requests if request.at < last]) > 1

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
    requests = find_requests(records)
    todo = find_todo_list(calls, messages)
    return ConversationParts(requests, calls, messages, TodoList() if _is_left_behind(todo, requests, calls) else todo)


def _is_left_behind(todo: TodoList, requests: Sequence[UserRequest], calls: Sequence[ToolCall]) -> bool:
    """Return whether the user moved on from a list of boxes in a message: two requests came after it."""
    is_in_message = not any(call.at == todo.at for call in calls)
    return is_in_message and _count_later(todo, requests) > 1


def _count_later(todo: TodoList, requests: Sequence[UserRequest]) -> int:
    return sum(request.at > todo.at and not request.is_reply for request in requests)
