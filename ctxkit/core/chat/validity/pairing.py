"""Pairing of tool calls with their results: by id, otherwise by name and order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, count
from operator import is_
from typing import NamedTuple

from ctxkit.core.chat.editing.editable_format import ApiRules
from ctxkit.core.chat.model.message import Record, RecordResult
from ctxkit.core.chat.validity.call_matching import (
    PlacedCall,
    PlacedResult,
    Turn,
    find_turns,
    list_complement,
    match_calls,
)

Pair = tuple[PlacedCall, PlacedResult]


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
