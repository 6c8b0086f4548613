"""Making a broken conversation whole with as little as can be done.

A call without a result gets one that says so. A result that answers no call is taken out, and of two that answer
one call the first stays. Messages keep their order; but a result that stands elsewhere than its API looks for it is
put there, word for word: to call it missing would lose it, and would not be true. Of two calls with one id the
second gets another, and its result with it. Messages that say nothing are taken out where they may not stand.
Who speaks first, and who in turn, is not mended: nobody knows what was said.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any

from ctxkit.core.chat.editor import Patch
from ctxkit.core.chat.inside import are_all, blanks, changed, held, listing, renaming, text_like
from ctxkit.core.chat.invariants import hollow
from ctxkit.core.chat.mending import Due, Mending, Repair
from ctxkit.core.chat.pairing import Asked, Pairing, Told, Turn, pairing, side
from ctxkit.core.chat.path import active
from ctxkit.core.chat.record import Call, Place
from ctxkit.core.chat.rewrite import Change
from ctxkit.core.chat.transcript import Transcript

NO_RESULT = "no result recorded"
"""What stands in the place of a result that is missing."""
NO_CALL = "no call recorded"
"""What stands in the place of results without calls where they were all of a message that must stay."""
NO_WORDS = "no content recorded"
"""What stands in the place of nothing, in a message that must stay."""
MENDED = ("unanswered", "orphan", "extra", "displaced", "behind", "repeated")
"""Rules of which no breach is left."""


def repaired(transcript: Transcript, path: Sequence[int] | None = None) -> Repair:
    """Return how to mend what is sent of a conversation: the entries on the ``path``, by default the active one.

    One of which nothing would be left, as it holds nothing but results without calls, stays as it is.
    """
    places = active(transcript) if path is None else tuple(path)
    found = pairing([transcript.records[at] for at in places], transcript.format.RULES)
    mending = Mending(transcript, places, found.spoken)
    work = _Work(transcript, found, mending)
    work.rename()
    if transcript.format.RULES.layout != "within":
        work.seat()
    work.clear()
    return mending.made() if len(mending.dropped) < len(found.spoken) else Repair(Change(), ())


class _Work:
    """Do what mends a conversation; messages are numbered as they are spoken."""

    def __init__(self, transcript: Transcript, found: Pairing, mending: Mending) -> None:
        self.editor, self.rules = transcript.format, transcript.format.RULES
        self.found, self.spoken, self.mending = found, found.spoken, mending
        self.carried = self.editor.carrier(()) is not None
        self.names: dict[tuple[int, int], str] = {}
        self.filled: set[int] = set()
        self.seated: set[int] = set()
        self.silent: set[int] = set()
        self.stuck = set(_stuck(found))
        self.answers: dict[int, list[Told]] = {}
        self.behind: dict[int, set[tuple[int, Place]]] = {}
        for asked, told in found.paired:
            self.answers.setdefault(asked.turn, []).append(told)
        for asked, told in found.behind:
            self.behind.setdefault(asked.turn, set()).add((told.at, told.result.unit))
        self.opening = next((at for at, record in enumerate(self.spoken) if not record.results), len(self.spoken))

    def rename(self) -> None:
        """Give calls whose id is taken another, and their results with them."""
        taken = {call.id for record in self.spoken for call in record.calls}
        told = {_key(asked): one for asked, one in (*self.found.paired, *self.found.displaced)}
        tried: dict[str, Iterator[int]] = {}
        for asked in self.found.repeated:
            old = asked.call.id
            numbers = tried.setdefault(old, count(2))
            new = next(name for number in numbers if (name := f"{old}-{number}") not in taken)
            taken.add(new)
            self.names[_key(asked)] = new
            self.mending.patch(asked.at, renaming(self.spoken[asked.at].value, asked.call.unit, old, new))
            if one := told.get(_key(asked)):
                self.mending.patch(one.at, renaming(self.spoken[one.at].value, one.result.unit, old, new))
            self.mending.say(asked.at, f"gave the second call with the id {old} the id {new}")

    def seat(self) -> None:
        """Put results where those of their calls belong: what stands elsewhere, and a note for what is missing."""
        due: dict[int, list[tuple[tuple[int, int], Due]]] = {}
        for asked in self.found.missing:
            made = Due(self.call(asked), self.editor.answer(self.call(asked), NO_RESULT))
            due.setdefault(asked.turn, []).append((_key(asked), made))
            self.mending.say(asked.at, f"{_of(asked)} had no result: it got `{NO_RESULT}`")
        for asked, told in (*self.found.displaced, *self.found.behind):
            if told.at not in self.stuck and (told.result.unit or told.at not in self.seated):
                self.seated.add(told.at)
                due.setdefault(asked.turn, []).append((_key(asked), self.moved(asked, told)))
                self.mending.say(told.at, f"put the result of {_of(asked)} where it belongs")
        for number in sorted(due):
            ordered = sorted(due[number], key=lambda one: one[0])
            self.place(number, [one for _, one in ordered])

    def call(self, asked: Asked) -> Call:
        return asked.call._replace(id=self.names.get(_key(asked), asked.call.id))

    def moved(self, asked: Asked, told: Told) -> Due:
        """Return a result that stands elsewhere: the entry that it is, else itself, else its words as a new one."""
        call, (old, unit) = self.call(asked), (told.result.id, told.result.unit)
        value = self.spoken[told.at].value
        if self.rules.layout != "next" and self.stands_alone(told):
            return Due(call, changed(value, tuple(renaming(value, unit, old, call.id))), told)
        if self.carried and unit:
            inner = held(value, unit)
            return Due(call, changed(inner, tuple(renaming(inner, (), old, call.id))))
        return Due(call, self.editor.answer(call, told.result.text))

    def stands_alone(self, told: Told) -> bool:
        """Tell whether a result is all of its entry, and the entry not the one that opens the conversation."""
        record, unit = self.spoken[told.at], told.result.unit
        return not unit or (are_all(record, {unit}) and not (self.rules.opens and told.at <= self.opening))

    def place(self, number: int, due: Sequence[Due]) -> None:
        """Put results into the message that holds those of a response, else into some of their own."""
        turn = self.found.turns[number]
        if self.rules.layout != "next":
            last = [told.at for told in self.answers.get(number, ()) if self.rules.layout == "near"]
            self.mending.insert(max([turn.last, *last]), [one if one.entry else self.carry(one) for one in due])
            return
        values = [one.value for one in due]
        if host := self.host(number, turn):
            at, place = host
            self.filled.add(at)
            self.mending.patch(at, [Patch(place, value, "insert") for value in values])
        elif self.rules.alternates and turn.begin < turn.end and self.spoken[turn.begin].passages:
            self.open(turn.begin, values)
        else:
            self.mending.insert(turn.last, [Due(due[0].call, self.editor.carrier(values))])

    def carry(self, due: Due) -> Due:
        """Return a result as an entry."""
        return due._replace(value=self.editor.carrier([due.value])) if self.carried else due

    def host(self, number: int, turn: Turn) -> tuple[int, Place] | None:
        """Return the message that takes results of a response, and the place in it: after those that are there.

        Where roles alternate it is the next one, whatever it holds; so is it where its results stand behind words.
        """
        answers = self.answers.get(number, ())
        behind = self.behind.get(number, set())
        places = [(told.at, told.result.unit) for told in answers if told.result.unit]
        stay = [place for place in places if place not in behind]
        if stay:
            at, unit = max(stay, key=lambda one: (one[0], _number(one[1])))
            return at, (*unit[:-1], _number(unit) + 1)
        if turn.begin < turn.end and (self.rules.alternates or any(at == turn.begin for at, _ in behind)):
            place = listing(self.spoken[turn.begin])
            return (turn.begin, (*place, 0)) if place else None
        return None

    def open(self, at: int, values: Sequence[Any]) -> None:
        """Put results before the words of a message that is text."""
        words = self.spoken[at].passages[0]
        said = [text_like(None, words.text)] if words.text.strip() else []
        self.filled.add(at)
        self.mending.patch(at, [Patch(words.place, [*values, *said])])

    def clear(self) -> None:
        """Take out results that answer nothing, what was put elsewhere, and what says nothing."""
        away: dict[int, set[Place]] = {}
        moved = (*self.found.displaced, *self.found.behind) if self.rules.layout != "within" else ()
        for told in (*(told for _, told in moved), *self.found.orphans, *self.found.extra):
            if told.at not in self.stuck:
                away.setdefault(told.at, set()).add(told.result.unit)
        for told in self.found.orphans:
            self.told(told, f"took out the result{_spelled(told)}, which answers no call")
        for told in self.found.extra:
            self.told(told, f"took out the second result{_spelled(told)}")
        if self.rules.layout == "next":
            self.hush(away)
        for at in sorted(away):
            done = self.take(at, away[at])
            if at in self.silent and done:
                self.mending.say(at, done)

    def told(self, told: Told, what: str) -> None:
        """Note what is done to a result, unless its message must stay as it is or was put elsewhere."""
        if told.at not in self.stuck and (told.result.unit or told.at not in self.seated):
            self.mending.say(told.at, what)

    def hush(self, away: dict[int, set[Place]]) -> None:
        """Add messages and elements that say nothing to what is taken out."""
        number = {record.at: at for at, record in enumerate(self.spoken)}
        empty = {number[record.at] for record in hollow(self.spoken)} - self.filled
        for at, record in enumerate(self.spoken):
            if found := [()] if at in empty else blanks(record):
                away.setdefault(at, set()).update(found)
                self.silent.add(at)

    def take(self, at: int, units: set[Place]) -> str:
        """Take elements out of a message, or all of it: one that must stay says that nothing else is known.

        Return what was done to what says nothing, empty where that stays as it is.
        """
        done = "took out what says nothing"
        record = self.spoken[at]
        whole = () in units or (at not in self.filled and record.kind == "message" and are_all(record, units))
        if not whole:
            self.mending.patch(at, [Patch(unit, how="remove") for unit in units])
        elif (() in units and record.results) or not self.needed(at):
            self.mending.dropped.add(at)
        elif () in units:
            self.mending.patch(at, [Patch(record.passages[0].place, NO_WORDS)] if record.passages else [])
            done = f"put `{NO_WORDS}` where nothing was said" if record.passages else ""
        else:
            first, *rest = sorted(units, key=_number)
            self.mending.patch(at, [Patch(first, text_like(held(record.value, first), NO_CALL))])
            self.mending.patch(at, [Patch(unit, how="remove") for unit in rest])
            done = f"put `{NO_CALL}` where nothing was said"
        return done

    def needed(self, at: int) -> bool:
        """Tell whether a message must stand where it does, because of who speaks before and after it."""
        before = self.speaker(range(at - 1, -1, -1))
        after = self.speaker(range(at + 1, len(self.spoken)))
        if not before:
            return self.rules.opens and after != "user"
        return self.rules.alternates and before == after != side(self.spoken[at])

    def speaker(self, places: Iterable[int]) -> str:
        """Return who speaks in the first message that stays, empty where there is none."""
        stay = (side(self.spoken[at]) for at in places if at not in self.mending.dropped)
        return next((one for one in stay if one != "system"), "")


def _stuck(found: Pairing) -> Iterator[int]:
    """Yield messages that hold several results in one text, of which some are in their place."""
    stay = {told.at for _, told in found.paired if not told.result.unit}
    yield from (at for at in stay if len(found.spoken[at].results) > 1)


def _key(asked: Asked) -> tuple[int, int]:
    return asked.at, asked.number


def _number(unit: Place) -> int:
    return unit[-1] if unit and isinstance(unit[-1], int) else -1


def _of(asked: Asked) -> str:
    return " ".join(filter(None, ("the call", asked.call.name, asked.call.id)))


def _spelled(told: Told) -> str:
    return f" of {told.result.id or told.result.name}" if told.result.id or told.result.name else ""
