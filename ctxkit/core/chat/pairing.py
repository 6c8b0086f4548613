"""Which result belongs to which call, and what is left over: by id, else by name and order."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, count
from typing import NamedTuple

from ctxkit.core.chat.editor import Rules
from ctxkit.core.chat.record import Call, Record, Result


class Turn(NamedTuple):
    """Hold a response that makes calls, ``first`` to ``last``, and where its results belong: ``begin`` up to ``end``.

    All are places among the messages that are spoken.
    """

    first: int
    last: int
    begin: int
    end: int


class Asked(NamedTuple):
    """Place a call: its message among those that are spoken, the number of its turn, and its own in its message."""

    at: int
    call: Call
    turn: int
    number: int = 0


class Told(NamedTuple):
    """Place a result: its message among those that are spoken."""

    at: int
    result: Result


Pair = tuple[Asked, Told]


class Pairing(NamedTuple):
    """Say who belongs to whom: ``paired`` where the API looks for it, ``displaced`` elsewhere; and what is alone.

    ``missing`` calls have no result, though the conversation went on; ``waiting`` ones are open at the end. A
    ``repeated`` call has an id that is taken, an ``extra`` result answers a call that has one, an ``orphan`` none;
    the call of one in a sealed entry is what only the provider may know of.
    A result is ``behind`` when something else stands before it where results come first.
    """

    spoken: tuple[Record, ...]
    turns: tuple[Turn, ...]
    paired: tuple[Pair, ...]
    displaced: tuple[Pair, ...]
    missing: tuple[Asked, ...]
    waiting: tuple[Asked, ...]
    repeated: tuple[Asked, ...]
    extra: tuple[Told, ...]
    orphans: tuple[Told, ...]
    behind: tuple[Pair, ...]


def pairing(records: Sequence[Record], rules: Rules) -> Pairing:
    """Return how calls and results belong together in entries that stand in the order in which they are sent."""
    spoken = tuple(record for record in records if record.kind in ("message", "summary"))
    turns = tuple(_turns(spoken, rules))
    asked = [one for number, turn in enumerate(turns) for one in _calls(spoken, turn, number)]
    told = [Told(at, result) for at, record in enumerate(spoken) for result in _results(record)]
    here = _matched(asked, told, turns, rules)
    used = {*here.values()}
    left = [number for number in range(len(told)) if number not in used]
    there = _elsewhere([number for number in range(len(asked)) if number not in here], left, asked, told, rules)
    alone = [one for number, one in enumerate(asked) if number not in here and number not in there]
    closed = {asked[one].turn for one in there} if rules.layout == "next" and rules.alternates else set()
    quiet = _quiet(spoken, rules)
    waiting = [one for one in alone if one.turn not in closed and turns[one.turn].last >= quiet]
    rest = [told[number] for number in sorted({*left} - {*there.values()})]
    known = {one.call.id for one in asked} - {""}
    paired = tuple((asked[one], told[other]) for one, other in sorted(here.items()))
    return Pairing(
        spoken,
        turns,
        paired,
        tuple((asked[one], told[other]) for one, other in sorted(there.items())),
        tuple(one for one in alone if one.turn in closed or turns[one.turn].last < quiet),
        tuple(waiting),
        tuple(_repeated(asked, rules)),
        tuple(one for one in rest if one.result.id in known),
        tuple(one for one in rest if one.result.id not in known and not spoken[one.at].sealed),
        tuple(_behind(spoken, turns, paired)) if rules.results_first else (),
    )


def side(record: Record) -> str:
    """Return who sends a message: the system, the assistant or the user, who sends results too."""
    return record.role if record.role in ("system", "assistant") else "user"


def stretch(spoken: Sequence[Record], start: int) -> int:
    """Return where the messages of one sender that begin at ``start`` end, exclusive."""
    end = start
    while end < len(spoken) and side(spoken[end]) == side(spoken[start]):
        end += 1
    return end


def _turns(spoken: Sequence[Record], rules: Rules) -> Iterator[Turn]:
    """Yield responses that make calls: a message, the entries that say to be one, or all that come in a row."""
    at = 0
    while at < len(spoken):
        end = at + 1
        if side(spoken[at]) == "assistant" and rules.layout != "within":
            end = _response(spoken, at) if rules.layout == "near" else stretch(spoken, at)
        if any(not call.settled for record in spoken[at:end] for call in record.calls):
            yield Turn(at, end - 1, *_region(spoken, at, end, rules))
        at = end


def _response(spoken: Sequence[Record], start: int) -> int:
    """Return where the entries of the response that begins at ``start`` end, exclusive."""
    link = spoken[start].link
    end = start + 1
    while link and link.group and end < len(spoken) and (other := spoken[end].link) and other.group == link.group:
        end += 1
    return end


def _region(spoken: Sequence[Record], first: int, end: int, rules: Rules) -> tuple[int, int]:
    """Return where the results of a response stand."""
    if rules.layout == "within":
        return first, end
    if rules.layout == "any":
        return first, len(spoken)
    if rules.layout == "next":
        told = end < len(spoken) and side(spoken[end]) == "user"
        return end, stretch(spoken, end) if told else end
    stop = end
    while stop < len(spoken) and spoken[stop].results:
        stop += 1
    return end, stop


def _calls(spoken: Sequence[Record], turn: Turn, number: int) -> Iterator[Asked]:
    for at in range(turn.first, turn.last + 1):
        calls = enumerate(spoken[at].calls)
        yield from (Asked(at, call, number, place) for place, call in calls if not call.settled)


def _results(record: Record) -> Iterator[Result]:
    """Yield the results that answer a call, without those of calls that need no answer."""
    if not record.results:
        return
    settled = [call for call in record.calls if call.settled]
    ids, units = {call.id for call in settled if call.id}, {call.unit for call in settled}
    yield from (result for result in record.results if result.id not in ids and result.unit not in units)


def _matched(
    asked: Sequence[Asked], told: Sequence[Told], turns: Sequence[Turn], rules: Rules
) -> dict[int, int]:
    """Return by number which result stands where the API looks for that of a call: the first one that does."""
    found: dict[int, int] = {}
    open_calls: dict[str, list[int]] = {}
    coming = 0
    for number, one in enumerate(told):
        while coming < len(asked) and turns[asked[coming].turn].begin <= one.at:
            open_calls.setdefault(asked[coming].call.id if rules.identified else "", []).append(coming)
            coming += 1
        key = one.result.id if rules.identified else ""
        left = open_calls.setdefault(key, [])
        del left[: next((at for at, call in enumerate(left) if one.at < turns[asked[call].turn].end), len(left))]
        place = _first_fitting(left, one.result, asked, rules)
        if place is not None:
            found[left.pop(place)] = number
    return found


def _first_fitting(left: Sequence[int], result: Result, asked: Sequence[Asked], rules: Rules) -> int | None:
    """Return the place of the call that a result belongs to: the first that fits in the last turn that has one."""
    fits = (at for at in range(len(left) - 1, -1, -1) if _fits(asked[left[at]].call, result, rules))
    last = next(fits, None)
    if last is None:
        return None
    begin = bisect_left(left, asked[left[last]].turn, key=lambda number: asked[number].turn)
    return next(at for at in range(begin, last + 1) if _fits(asked[left[at]].call, result, rules))


def _fits(call: Call, result: Result, rules: Rules) -> bool:
    """Tell whether a result may be that of a call: of ids that both have, of names where ids are not kept."""
    if call.id and result.id:
        return call.id == result.id
    if rules.identified and (call.id or result.id):
        return False
    return not call.name or not result.name or call.name == result.name


def _elsewhere(
    calls: Sequence[int], results: Sequence[int], asked: Sequence[Asked], told: Sequence[Told], rules: Rules
) -> dict[int, int]:
    """Return by number which results stand where the API does not look: the first with the id, else the name."""
    places: dict[str, list[int]] = {}
    for number in results:
        result = told[number].result
        places.setdefault(_key(result.id, result.name, rules), []).append(number)
    found = {}
    for number in calls:
        call = asked[number].call
        left = places.get(_key(call.id, call.name, rules)) if call.id or call.name else None
        if left and (call.id or told[left[0]].at > asked[number].at):
            found[number] = left.pop(0)
    return found


def _key(id_: str, name: str, rules: Rules) -> str:
    return f"id {id_}" if id_ or rules.identified else f"name {name}"


def _quiet(spoken: Sequence[Record], rules: Rules) -> int:
    """Return the last message that is more than results: a call of it, or after it, may still be answered.

    Where a message holds all results and no other may follow it, that is the last one of all.
    """
    last = len(spoken) - 1
    if rules.layout == "next" and rules.alternates:
        return last
    while last >= 0 and spoken[last].results and not spoken[last].calls and not spoken[last].words.strip():
        last -= 1
    return last


def _repeated(asked: Sequence[Asked], rules: Rules) -> Iterator[Asked]:
    """Yield calls whose id another call of the same response has, or any call before where the API forbids that."""
    everywhere = rules.layout == "next" and rules.identified
    seen: set[tuple[str, int]] = set()
    for one in asked:
        key = one.call.id, -1 if everywhere else one.turn
        if one.call.id and key in seen:
            yield one
        seen.add(key)


def _behind(spoken: Sequence[Record], turns: Sequence[Turn], paired: Sequence[Pair]) -> Iterator[Pair]:
    """Yield pairs in which something that is no result stands before the result in the message that it is sent in."""
    previous = list(accumulate((-1 if record.results else at for at, record in enumerate(spoken)), max))
    first_gap: dict[int, int] = {}
    for asked, told in paired:
        unit = told.result.unit
        if told.at > 0 and previous[told.at - 1] >= turns[asked.turn].begin:
            yield asked, told
        elif unit and isinstance(unit[-1], int):
            if told.at not in first_gap:
                first_gap[told.at] = _first_gap(spoken[told.at])
            if unit[-1] > first_gap[told.at]:
                yield asked, told


def _first_gap(record: Record) -> int:
    """Return the number of the first element of a message that is not a result."""
    numbers = {result.unit[-1] for result in record.results if result.unit}
    return next(number for number in count() if number not in numbers)
