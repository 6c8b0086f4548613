"""Turns: the responses with calls in a conversation, and where the API expects their results."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.chat.editing.editable_format import ApiRules
from ctxkit.core.chat.model.record import Record


class Turn(NamedTuple):
    """A response with calls, from ``first`` to ``last``, and the range for its results, ``begin`` to ``end``.

    All are indices of messages; ``end`` is exclusive.
    """

    first: int
    last: int
    begin: int
    end: int


def sender_of(record: Record) -> str:
    """Return the sender of a message: "system", "assistant" or "user"; tool results come from the user."""
    return record.role if record.role in ("system", "assistant") else "user"


def find_sender_end(messages: Sequence[Record], start: int) -> int:
    """Return the exclusive end of the run of messages with one sender that begins at ``start``."""
    end = start
    while end < len(messages) and sender_of(messages[end]) == sender_of(messages[start]):
        end += 1
    return end


def find_turns(messages: Sequence[Record], rules: ApiRules) -> Iterator[Turn]:
    """Yield responses with calls: one message, entries of one group, or a run of messages, depending on the layout."""
    at = 0 if any(record.calls for record in messages) else len(messages)
    while at < len(messages):
        end = at + 1
        if sender_of(messages[at]) == "assistant" and rules.layout != "within":
            end = _find_response_end(messages, at) if rules.layout == "near" else find_sender_end(messages, at)
        if _has_open_calls(messages, at, end):
            yield Turn(at, end - 1, *_find_result_region(messages, at, end, rules))
        at = end


def _has_open_calls(messages: Sequence[Record], start: int, end: int) -> bool:
    """Return whether some messages contain a call that needs a result."""
    for at in range(start, end):
        for call in messages[at].calls:
            if not call.needs_no_result:
                return True
    return False


def _find_response_end(messages: Sequence[Record], start: int) -> int:
    """Return the exclusive end of the response that begins at ``start``."""
    link = messages[start].link
    end = start + 1
    while link and link.group and end < len(messages) and (other := messages[end].link) and other.group == link.group:
        end += 1
    return end


def _find_result_region(messages: Sequence[Record], first: int, end: int, rules: ApiRules) -> tuple[int, int]:
    """Return the range of messages that may contain the results of a response."""
    if rules.layout == "within":
        return first, end
    if rules.layout == "any":
        return first, len(messages)
    if rules.layout == "next":
        has_results = end < len(messages) and sender_of(messages[end]) == "user"
        return end, find_sender_end(messages, end) if has_results else end
    stop = end
    while stop < len(messages) and messages[stop].results:
        stop += 1
    return end, stop
