"""Which result belongs to which call, and what is left over: by id, else by name and order."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, count
from typing import NamedTuple

from ctxkit.core.chat.editing.editable_format import ApiRules
from ctxkit.core.chat.model.record import Record, RecordCall, RecordResult


class Turn(NamedTuple):
    """Hold a response that makes calls, ``first`` to ``last``, and where its results belong: ``begin`` up to ``end``.

    All are places among the messages that are spoken.
    """

    first: int
    last: int
    begin: int
    end: int


class PlacedCall(NamedTuple):
    """Place a call: its message among those that are spoken, the number of its turn, and its own in its message."""

    at: int
    call: RecordCall
    turn: int
    number: int = 0


class PlacedResult(NamedTuple):
    """Place a result: its message among those that are spoken."""

    at: int
    result: RecordResult


Pair = tuple[PlacedCall, PlacedResult]


class Pairing(NamedTuple):
    """Say who belongs to whom: ``paired`` where the API looks for it, ``displaced`` elsewhere; and what is alone.

    ``missing`` calls have no result, though the conversation went on; ``waiting`` ones are open at the end. A
    ``repeated`` call has an id that is taken, an ``extra`` result answers a call that has one, an ``orphan`` none;
    the call of one in a sealed entry is what only the provider may know of.
    A result is ``behind`` when something else stands before it where results come first.
    """

    messages: tuple[Record, ...]
    turns: tuple[Turn, ...]
    paired: tuple[Pair, ...]
    displaced: tuple[Pair, ...]
    missing: tuple[PlacedCall, ...]
    waiting: tuple[PlacedCall, ...]
    repeated: tuple[PlacedCall, ...]
    extra: tuple[PlacedResult, ...]
    orphans: tuple[PlacedResult, ...]
    behind: tuple[Pair, ...]


def pair_calls(records: Sequence[Record], rules: ApiRules) -> Pairing:
    """Return how calls and results belong together in entries that stand in the order in which they are sent."""
    messages = tuple(record for record in records if record.kind in ("message", "summary"))
    turns = tuple(_find_turns(messages, rules))
    placed_calls = [item for number, turn in enumerate(turns) for item in _list_calls(messages, turn, number)]
    placed_results = [
        PlacedResult(at, result) for at, record in enumerate(messages) for result in _list_results(record)
    ]
    paired_numbers = _match_results(placed_calls, placed_results, turns, rules)
    used = {*paired_numbers.values()}
    left = [number for number in range(len(placed_results)) if number not in used]
    displaced_numbers = _match_displaced(
        [number for number in range(len(placed_calls)) if number not in paired_numbers],
        left,
        placed_calls,
        placed_results,
        rules,
    )
    unpaired = [
        item
        for number, item in enumerate(placed_calls)
        if number not in paired_numbers and number not in displaced_numbers
    ]
    closed = (
        {placed_calls[item].turn for item in displaced_numbers}
        if rules.layout == "next" and rules.roles_alternate
        else set()
    )
    last_speech = _find_last_speech(messages, rules)
    waiting = [item for item in unpaired if item.turn not in closed and turns[item.turn].last >= last_speech]
    unmatched = [placed_results[number] for number in sorted({*left} - {*displaced_numbers.values()})]
    call_ids = {item.call.id for item in placed_calls} - {""}
    paired = tuple((placed_calls[item], placed_results[other]) for item, other in sorted(paired_numbers.items()))
    return Pairing(
        messages,
        turns,
        paired,
        tuple((placed_calls[item], placed_results[other]) for item, other in sorted(displaced_numbers.items())),
        tuple(item for item in unpaired if item.turn in closed or turns[item.turn].last < last_speech),
        tuple(waiting),
        tuple(_find_repeated(placed_calls, rules)),
        tuple(item for item in unmatched if item.result.id in call_ids),
        tuple(item for item in unmatched if item.result.id not in call_ids and not messages[item.at].encrypted),
        tuple(_find_behind(messages, turns, paired)) if rules.results_first else (),
    )


def sender_of(record: Record) -> str:
    """Return who sends a message: the system, the assistant or the user, who sends results too."""
    return record.role if record.role in ("system", "assistant") else "user"


def find_sender_end(messages: Sequence[Record], start: int) -> int:
    """Return where the messages of one sender that begin at ``start`` end, exclusive."""
    end = start
    while end < len(messages) and sender_of(messages[end]) == sender_of(messages[start]):
        end += 1
    return end


def _find_turns(messages: Sequence[Record], rules: ApiRules) -> Iterator[Turn]:
    """Yield responses that make calls: a message, the entries that say to be one, or all that come in a row."""
    at = 0
    while at < len(messages):
        end = at + 1
        if sender_of(messages[at]) == "assistant" and rules.layout != "within":
            end = _find_response_end(messages, at) if rules.layout == "near" else find_sender_end(messages, at)
        if any(not call.needs_no_result for record in messages[at:end] for call in record.calls):
            yield Turn(at, end - 1, *_find_result_region(messages, at, end, rules))
        at = end


def _find_response_end(messages: Sequence[Record], start: int) -> int:
    """Return where the entries of the response that begins at ``start`` end, exclusive."""
    link = messages[start].link
    end = start + 1
    while link and link.group and end < len(messages) and (other := messages[end].link) and other.group == link.group:
        end += 1
    return end


def _find_result_region(messages: Sequence[Record], first: int, end: int, rules: ApiRules) -> tuple[int, int]:
    """Return where the results of a response stand."""
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


def _list_calls(messages: Sequence[Record], turn: Turn, number: int) -> Iterator[PlacedCall]:
    for at in range(turn.first, turn.last + 1):
        calls = enumerate(messages[at].calls)
        yield from (PlacedCall(at, call, number, place) for place, call in calls if not call.needs_no_result)


def _list_results(record: Record) -> Iterator[RecordResult]:
    """Yield the results that answer a call, without those of calls that need no answer."""
    if not record.results:
        return
    finished = [call for call in record.calls if call.needs_no_result]
    ids, units = {call.id for call in finished if call.id}, {call.unit for call in finished}
    yield from (result for result in record.results if result.id not in ids and result.unit not in units)


def _match_results(
    placed_calls: Sequence[PlacedCall], placed_results: Sequence[PlacedResult], turns: Sequence[Turn], rules: ApiRules
) -> dict[int, int]:
    """Return by number which result stands where the API looks for that of a call: the first one that does."""
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
    """Return the place of the call that a result belongs to: the first that fits in the last turn that has one."""
    fits = (at for at in range(len(left) - 1, -1, -1) if _can_pair(placed_calls[left[at]].call, result, rules))
    last = next(fits, None)
    if last is None:
        return None
    begin = bisect_left(left, placed_calls[left[last]].turn, key=lambda number: placed_calls[number].turn)
    return next(at for at in range(begin, last + 1) if _can_pair(placed_calls[left[at]].call, result, rules))


def _can_pair(call: RecordCall, result: RecordResult, rules: ApiRules) -> bool:
    """Tell whether a result may be that of a call: of ids that both have, of names where ids are not kept."""
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
    """Return by number which results stand where the API does not look: the first with the id, else the name."""
    places: dict[str, list[int]] = {}
    for number in results:
        result = placed_results[number].result
        places.setdefault(_make_key(result.id, result.name, rules), []).append(number)
    matches = {}
    for number in calls:
        call = placed_calls[number].call
        left = places.get(_make_key(call.id, call.name, rules)) if call.id or call.name else None
        if left and (call.id or placed_results[left[0]].at > placed_calls[number].at):
            matches[number] = left.pop(0)
    return matches


def _make_key(id_: str, name: str, rules: ApiRules) -> str:
    return f"id {id_}" if id_ or rules.has_call_ids else f"name {name}"


def _find_last_speech(messages: Sequence[Record], rules: ApiRules) -> int:
    """Return the last message that is more than results: a call of it, or after it, may still be answered.

    Where a message holds all results and no other may follow it, that is the last one of all.
    """
    last = len(messages) - 1
    if rules.layout == "next" and rules.roles_alternate:
        return last
    while last >= 0 and messages[last].results and not messages[last].calls and not messages[last].words.strip():
        last -= 1
    return last


def _find_repeated(placed_calls: Sequence[PlacedCall], rules: ApiRules) -> Iterator[PlacedCall]:
    """Yield calls whose id another call of the same response has, or any call before where the API forbids that."""
    everywhere = rules.layout == "next" and rules.has_call_ids
    seen: set[tuple[str, int]] = set()
    for placed_call in placed_calls:
        key = placed_call.call.id, -1 if everywhere else placed_call.turn
        if placed_call.call.id and key in seen:
            yield placed_call
        seen.add(key)


def _find_behind(messages: Sequence[Record], turns: Sequence[Turn], paired: Sequence[Pair]) -> Iterator[Pair]:
    """Yield pairs in which something that is no result stands before the result in the message that it is sent in."""
    previous = list(accumulate((-1 if record.results else at for at, record in enumerate(messages)), max))
    first_gap: dict[int, int] = {}
    for placed_call, placed_result in paired:
        unit = placed_result.result.unit
        if placed_result.at > 0 and previous[placed_result.at - 1] >= turns[placed_call.turn].begin:
            yield placed_call, placed_result
        elif unit and isinstance(unit[-1], int):
            if placed_result.at not in first_gap:
                first_gap[placed_result.at] = _find_first_gap(messages[placed_result.at])
            if unit[-1] > first_gap[placed_result.at]:
                yield placed_call, placed_result


def _find_first_gap(record: Record) -> int:
    """Return the number of the first element of a message that is not a result."""
    numbers = {result.unit[-1] for result in record.results if result.unit}
    return next(number for number in count() if number not in numbers)
