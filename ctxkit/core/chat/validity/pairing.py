"""Pairing of tool calls with their results: by id, otherwise by name and order; and where pairs may be cut."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, count
from operator import is_
from typing import Literal, NamedTuple

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.model.message import Record, RecordCall, RecordResult


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


Pair = tuple[PlacedCall, PlacedResult]


class Turn(NamedTuple):
    """A response with calls, from ``first`` to ``last``, and the range for its results, ``begin`` to ``end``.

    All are indices of messages; ``end`` is exclusive.
    """

    first: int
    last: int
    begin: int
    end: int


class Pairing(NamedTuple):
    """The pairs of calls and results, and the unpaired ones.

    - ``paired`` results are in the position that the API requires, ``displaced`` ones elsewhere.
    - ``missing`` calls have no result although the conversation continued; ``waiting`` calls are open at its end.
    - ``repeated`` calls have an id that another call uses.
    - ``extra`` results answer a call that already has one; ``orphans`` answer no call, unless their entry is encrypted:
      the provider may know the call.
    - ``behind`` results come after other content although the API requires results first.
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
    """Return the pairs of calls and results in entries that are in sending order."""
    return _pair_once(_RecordsKey(tuple(records)), rules)


class _RecordsKey:
    """A key of entries in order: the same entries are equal, and no entry is compared by its content."""

    __slots__ = ("records",)

    def __init__(self, records: tuple[Record, ...]) -> None:
        self.records = records

    def __hash__(self) -> int:
        return hash((len(self.records), *map(id, self.records[:1])))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _RecordsKey) or len(self.records) != len(other.records):
            return False
        return all(map(is_, self.records, other.records))


def _divide_unmatched(
    unmatched: Iterable[PlacedResult], placed_calls: Iterable[PlacedCall], messages: Sequence[Record]
) -> tuple[tuple[PlacedResult, ...], tuple[PlacedResult, ...]]:
    """Return the results whose call has another result, and those of which no call can be read."""
    call_ids = {item.call.id for item in placed_calls} - {""}
    known, others = list[PlacedResult](), list[PlacedResult]()
    for item in unmatched:
        (known if item.result.id in call_ids else others).append(item)
    return tuple(known), tuple(item for item in others if not messages[item.at].encrypted)


@lru_cache(maxsize=2)  # the conversation before a stage, and after it
def _pair_once(key: _RecordsKey, rules: ApiRules) -> Pairing:
    records = key.records
    messages = tuple(record for record in records if record.kind in ("message", "summary"))
    turns = tuple(find_turns(messages, rules))
    placed_calls = [item for number, turn in enumerate(turns) for item in _list_calls(messages, turn, number)]
    placed_results = list(_place_results(messages))
    paired_numbers, displaced_numbers = match_calls(placed_calls, placed_results, turns, rules)
    paired = _list_pairs(paired_numbers, placed_calls, placed_results)
    displaced = _list_pairs(displaced_numbers, placed_calls, placed_results)
    missing, waiting = _find_open_calls(
        [placed_calls[number] for number in list_complement(len(placed_calls), {*paired_numbers, *displaced_numbers})],
        {call.turn for call, _ in displaced} if rules.layout == "next" and rules.roles_alternate else set(),
        [turn.last for turn in turns],
        _find_last_speech(messages, rules),
    )
    matched = {*paired_numbers.values(), *displaced_numbers.values()}
    unmatched = [placed_results[number] for number in list_complement(len(placed_results), matched)]
    late, unknown = _divide_unmatched(unmatched, placed_calls, messages)
    return Pairing(
        messages,
        turns,
        paired,
        displaced,
        missing,
        waiting,
        tuple(_find_repeated(placed_calls, rules)),
        late,
        unknown,
        tuple(_find_behind(messages, turns, paired)) if rules.results_first else (),
    )


def _place_results(messages: Sequence[Record]) -> Iterator[PlacedResult]:
    """Yield the results of all messages."""
    for at, record in enumerate(messages):
        if record.results:
            yield from (PlacedResult(at, result) for result in _list_results(record))


def _list_pairs(
    numbers: Mapping[int, int], placed_calls: Sequence[PlacedCall], placed_results: Sequence[PlacedResult]
) -> tuple[Pair, ...]:
    """Return the pairs of calls and results with some numbers, in the order of the calls."""
    return tuple((placed_calls[call], placed_results[result]) for call, result in sorted(numbers.items()))


def _find_open_calls(
    unpaired: Sequence[PlacedCall], closed_turns: set[int], last_messages: Sequence[int], last_speech: int
) -> tuple[tuple[PlacedCall, ...], tuple[PlacedCall, ...]]:
    """Return the calls without results that are missing their results, and those at the end that wait for them."""
    missing, waiting = list[PlacedCall](), list[PlacedCall]()
    for item in unpaired:
        is_waiting = item.turn not in closed_turns and last_messages[item.turn] >= last_speech
        (waiting if is_waiting else missing).append(item)
    return tuple(missing), tuple(waiting)


def _list_calls(messages: Sequence[Record], turn: Turn, number: int) -> Iterator[PlacedCall]:
    for at in range(turn.first, turn.last + 1):
        calls = enumerate(messages[at].calls)
        yield from (PlacedCall(at, call, number, place) for place, call in calls if not call.needs_no_result)


def _list_results(record: Record) -> Iterator[RecordResult]:
    """Yield the results of a record, without those of calls that need no result."""
    finished = [call for call in record.calls if call.needs_no_result]
    ids, units = {call.id for call in finished if call.id}, {call.unit for call in finished}
    yield from (result for result in record.results if result.id not in ids and result.unit not in units)


def _find_last_speech(messages: Sequence[Record], rules: ApiRules) -> int:
    """Return the index of the last message with more than results; its calls and later ones may still wait.

    If all results must be in the next message, this is the last message of all.
    """
    last = len(messages) - 1
    if rules.layout == "next" and rules.roles_alternate:
        return last
    while last >= 0 and messages[last].results and not messages[last].calls and not messages[last].words.strip():
        last -= 1
    return last


def _find_repeated(placed_calls: Sequence[PlacedCall], rules: ApiRules) -> Iterator[PlacedCall]:
    """Yield calls with an id that another call of the response uses, or any earlier call if the API forbids that."""
    everywhere = rules.layout == "next" and rules.has_call_ids
    seen: set[tuple[str, int]] = set()
    for placed_call in placed_calls:
        key = placed_call.call.id, -1 if everywhere else placed_call.turn
        if placed_call.call.id and key in seen:
            yield placed_call
        seen.add(key)


def _find_behind(messages: Sequence[Record], turns: Sequence[Turn], paired: Sequence[Pair]) -> Iterator[Pair]:
    """Yield pairs whose result comes after other content in the message in which it is sent."""
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
    """Return the index of the first element of a message that is not a result."""
    numbers = {result.unit[-1] for result in record.results if result.unit}
    return next(number for number in count() if number not in numbers)


_MAX_TRIES = 100
"""Maximum calls without ids that are tried for a result, from either end: more than responses have."""


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


CutPoint = Literal["free", "loop", "closed"]
"""Kind of a position between two entries: "free" for any cut, "loop" for a cut inside a loop of calls whose rest begins
with reasoning, "closed" for no cut.
"""


def find_cut_points(path: Sequence[Record], rules: ApiRules) -> list[CutPoint]:
    """Return the kind of the position before each entry, and last the kind of the end.

    A cut never separates a call from its result, the entries of one response, or reasoning from its successor. A call
    that waits for its result is never cut off.
    """
    points: list[CutPoint] = ["free"] * (len(path) + 1)
    for first, last in _find_reasoning_loops(path) if rules.loops_are_atomic else ():
        for at in range(first + 1, last + 1):
            points[at] = "loop" if path[at].has_reasoning else "closed"
    # Ranges may be nested and may each span thousands of entries, so only their ends are counted.
    open_ranges = [0] * (len(path) + 2)
    for first, last in _find_inseparable(path, rules):
        open_ranges[first + 1] += 1
        open_ranges[last + 1] -= 1
    return [
        "closed" if open_count else point for point, open_count in zip(points, accumulate(open_ranges), strict=False)
    ]


def _find_inseparable(path: Sequence[Record], rules: ApiRules) -> Iterator[tuple[int, int]]:
    """Yield the first and the last position of each range that must not be cut."""
    pairs = pair_calls(path, rules)
    at = {record.at: place for place, record in enumerate(path)}
    places = [at[record.at] for record in pairs.messages]
    for call, result in (*pairs.paired, *pairs.displaced):
        first, last = sorted((places[call.at], places[result.at]))
        yield first, last
    for turn in pairs.turns:
        yield places[turn.first], places[turn.last]
    for waiting in pairs.waiting:
        yield places[waiting.at], len(path)
    yield from _find_responses(path)


def _find_responses(path: Sequence[Record]) -> Iterator[tuple[int, int]]:
    """Yield the range of each response stored in several entries, and of reasoning with its successor."""
    first: dict[str, int] = {}
    for at, record in enumerate(path):
        group = record.link.group if record.link else ""
        if group:
            yield first.setdefault(group, at), at
        alone = record.has_reasoning and not record.calls and not record.words.strip()
        if alone and at + 1 < len(path) and path[at + 1].role == "assistant":
            yield at, at + 1


def _find_reasoning_loops(path: Sequence[Record]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last position of each run of calls and results that begins with reasoning."""
    first = -1
    for at, record in enumerate(path):
        if first < 0 and record.role == "assistant" and record.has_reasoning:
            first = at
        elif first >= 0 and (record.is_user_request or record.kind == "summary"):
            yield first, at - 1
            first = -1
    if first >= 0:
        yield first, len(path) - 1
