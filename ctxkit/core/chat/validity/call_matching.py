"""Turns with calls, and matching of results to calls: by id, otherwise by name and order."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.chat.editing.editable_format import ApiRules
from ctxkit.core.chat.model.message import Record, RecordCall, RecordResult


class Turn(NamedTuple):
    """A response with calls, from ``first`` to ``last``, and the range for its results, ``begin`` to ``end``.

    All are indices of messages; ``end`` is exclusive.
    """

    first: int
    last: int
    begin: int
    end: int


_MAX_TRIES = 100
"""Maximum calls without ids that are tried for a result, from either end: more than responses have."""


class PlacedCall(NamedTuple):
    """A call, the index of its message, the number of its turn, and its number in the message."""

    at: int
    call: RecordCall
    turn: int
    number: int = 0


class PlacedResult(NamedTuple):
    """A result and the index of its message."""

    at: int
    result: RecordResult


def match_calls(
    placed_calls: Sequence[PlacedCall], placed_results: Sequence[PlacedResult], turns: Sequence[Turn], rules: ApiRules
) -> tuple[dict[int, int], dict[int, int]]:
    """Return the results of calls by number: those in the required position, and displaced ones of the other calls."""
    matches = _match_results(placed_calls, placed_results, turns, rules)
    calls = list_complement(len(placed_calls), matches)
    results = list_complement(len(placed_results), matches.values())
    return matches, _match_displaced(calls, results, placed_calls, placed_results, rules)


def list_complement(total: int, numbers: Iterable[int]) -> list[int]:
    """Return the numbers below ``total`` that are not among some numbers, in order."""
    known = {*numbers}
    return [number for number in range(total) if number not in known]


def _match_results(
    placed_calls: Sequence[PlacedCall], placed_results: Sequence[PlacedResult], turns: Sequence[Turn], rules: ApiRules
) -> dict[int, int]:
    """Return, by number, the first result in the required position for each call."""
    matches: dict[int, int] = {}
    open_calls: dict[str, list[int]] = {}
    next_call = 0
    for number, placed_result in enumerate(placed_results):
        while next_call < len(placed_calls) and turns[placed_calls[next_call].turn].begin <= placed_result.at:
            open_calls.setdefault(placed_calls[next_call].call.id if rules.has_call_ids else "", []).append(next_call)
            next_call += 1
        key = placed_result.result.id if rules.has_call_ids else ""
        left = open_calls.setdefault(key, [])
        del left[
            : next(
                (at for at, call in enumerate(left) if placed_result.at < turns[placed_calls[call].turn].end), len(left)
            )
        ]
        place = _find_first_fit(left, placed_result.result, placed_calls, rules)
        if place is not None:
            matches[left.pop(place)] = number
    return matches


def _find_first_fit(
    left: Sequence[int], result: RecordResult, placed_calls: Sequence[PlacedCall], rules: ApiRules
) -> int | None:
    """Return the index of the call that a result belongs to: the first match in the last turn with a match."""

    def find_fit(places: range) -> int | None:
        """Return the first of some places whose call the result can belong to."""
        fits = (at for at in places[:_MAX_TRIES] if _can_pair(placed_calls[left[at]].call, result, rules))
        return next(fits, None)

    last = find_fit(range(len(left) - 1, -1, -1))
    if last is None:
        return None
    begin = bisect_left(left, placed_calls[left[last]].turn, key=lambda number: placed_calls[number].turn)
    first = find_fit(range(begin, last + 1))
    return last if first is None else first


def _can_pair(call: RecordCall, result: RecordResult, rules: ApiRules) -> bool:
    """Return whether a result can belong to a call: by id if both have one, by name if the format has no ids."""
    if call.id and result.id:
        return call.id == result.id
    if rules.has_call_ids and (call.id or result.id):
        return False
    return not call.name or not result.name or call.name == result.name


def _match_displaced(
    calls: Sequence[int],
    results: Sequence[int],
    placed_calls: Sequence[PlacedCall],
    placed_results: Sequence[PlacedResult],
    rules: ApiRules,
) -> dict[int, int]:
    """Return, by number, the first displaced result for each call: by id, otherwise by name."""
    places: dict[str, deque[int]] = {}
    for number in results:
        result = placed_results[number].result
        places.setdefault(_make_key(result.id, result.name, rules), deque()).append(number)
    matches = {}
    for number in calls:
        call = placed_calls[number].call
        left = places.get(_make_key(call.id, call.name, rules)) if call.id or call.name else None
        if left and (call.id or placed_results[left[0]].at > placed_calls[number].at):
            matches[number] = left.popleft()
    return matches


def _make_key(id_: str, name: str, rules: ApiRules) -> str:
    return f"id {id_}" if id_ or rules.has_call_ids else f"name {name}"


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
