"""The parts of a conversation from which pages and records quote."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.record import Record
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

    def find_pending_items(self) -> Iterator[PageItem]:
        """Yield the items of the to-do list, then everything else that is open."""
        yield from find_todo_items(self.todo)
        yield from find_open_items(self.requests, self.calls, self.messages, self.todo)


def find_parts(records: Sequence[Record]) -> ConversationParts:
    """Return the parts of a conversation."""
    calls = find_tool_calls(records)
    messages = [
        (at, strip_commands(record.words))
        for at, record in enumerate(records)
        if record.role == "assistant" and record.kind == "message"
    ]
    return ConversationParts(find_requests(records), calls, messages, find_todo_list(calls, messages))
