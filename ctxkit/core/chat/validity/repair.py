"""Repair of an invalid conversation with as few changes as possible.

A call without a result gets a placeholder result. A result without a call is removed; of two results for one call, the
first is kept. Messages keep their order, but a displaced result moves verbatim to its required position. A repeated
call id is replaced in the later call and in its result. Empty messages are removed if the API rejects them.

Roles that do not alternate or do not begin with the user are not repaired, because the missing text is unknown.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import count
from typing import NamedTuple

from ctxkit.core.chat.branches import Change, find_active_path, relink_entries
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.model.message import Place, Record, RecordCall
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.chat.validity.invariants import (
    find_blank_texts,
    find_element_list,
    find_empty_messages,
    find_lines,
    get_value,
    has_only,
    make_text_element,
    patch_call_ids,
    patch_ids,
    patch_value,
)
from ctxkit.core.chat.validity.pairing import Pairing, PlacedCall, PlacedResult, Turn, pair_calls, sender_of
from ctxkit.core.text.json_value import JsonValue

NO_RESULT = "no result recorded"
"""Text of a placeholder for a missing result."""
NO_CALL = "no call recorded"
"""Text of a message that must stay after its only content, results without calls, is removed."""
NO_WORDS = "no content recorded"
"""Text of an empty message that must stay."""


class Repair(NamedTuple):
    """The change that repairs a conversation, and one sentence for each action; empty if nothing is broken."""

    change: Change
    actions: tuple[str, ...]


def repair_conversation(transcript: Transcript, path: Sequence[int] | None = None) -> Repair:
    """Return the repair of the entries on ``path``, by default on the active path.

    A conversation with only unpaired results stays unchanged, because a repair would remove everything.
    """
    places = find_active_path(transcript) if path is None else tuple(path)
    pairing = pair_calls([transcript.records[at] for at in places], transcript.format.RULES)
    plan = RepairPlan(transcript, places, pairing.messages)
    repairer = _Repairer(transcript, pairing, plan)
    repairer.rename_repeated_ids()
    if transcript.format.RULES.layout != "within":
        repairer.place_results()
    repairer.remove_leftovers()
    return plan.build_repair() if len(plan.dropped) < len(pairing.messages) else Repair(Change(), ())


class DueResult(NamedTuple):
    """A result to insert after its call, and its former entry, if it was a whole entry."""

    call: RecordCall
    value: JsonValue
    entry: PlacedResult | None = None


class RepairPlan:
    """Patches, dropped entries and inserted entries of a repair; messages are numbered in sending order."""

    def __init__(self, transcript: Transcript, path: Sequence[int], messages: Sequence[Record]) -> None:
        self.dropped: set[int] = set()
        self.actions: list[tuple[int, str]] = []
        self._transcript, self._path, self._messages = transcript, path, messages
        self._patches: dict[int, list[ValuePatch]] = {}
        self._inserted: dict[int, list[JsonValue]] = {}
        self._after: dict[str, str] = {}

    def note_action(self, at: int, action: str) -> None:
        """Note an action on a message."""
        self.actions.append((self._messages[at].at, action))

    def add_patches(self, at: int, patches: Iterable[ValuePatch]) -> None:
        """Add patches of values inside a message."""
        if new_patches := list(patches):
            self._patches.setdefault(self._messages[at].at, []).extend(new_patches)

    def insert_results(self, at: int, due_results: Sequence[DueResult]) -> None:
        """Insert entries after a message; each becomes the child of the previous one."""
        records, format_ = self._transcript.records, self._transcript.format
        place = self._messages[at].at + 1
        neighbor = records[min(place, len(records) - 1)].value
        link = self._messages[at].link
        first = parent = link.id if link else ""
        for due_result in due_results:
            if due_result.entry is None:
                key = sha256(f"{due_result.call} {parent}".encode(errors="surrogatepass")).hexdigest()[:32]
                value, parent = (
                    format_.attach_entry(due_result.value, key, parent or None, neighbor),
                    format_.make_id(key),
                )
            else:
                value = patch_value(due_result.value, format_.patch_parent(due_result.value, parent or None))
                old = self._messages[due_result.entry.at].link
                parent = old.id if old else ""
            self._inserted.setdefault(place, []).append(value)
        if first and parent:
            self._after[first] = parent

    def build_repair(self) -> Repair:
        """Return the complete repair, with the link patches that it needs."""
        dropped = {self._messages[at].at for at in self.dropped}
        change = Change(frozenset(dropped | self._find_doubles(dropped)), self._patches, self._inserted)
        line = find_lines(self._transcript, [at for at, _ in self.actions])
        actions = tuple(f"line {line[at]}: {what}" for at, what in sorted(self.actions))
        return Repair(relink_entries(self._transcript, change, self._path, self._after), actions)

    def _find_doubles(self, dropped: set[int]) -> set[int]:
        """Return copies of dropped entries, written by a crash or a resumed session, which would replace them in the
        tree.
        """
        records, raw = self._transcript.records, self._transcript.get_raw
        gone = {raw(records[at]) for at in dropped if records[at].link}
        return {record.at for record in records if raw(record) in gone} if gone else set()


class _Repairer:
    """The steps of a repair; messages are numbered in sending order."""

    def __init__(self, transcript: Transcript, pairing: Pairing, plan: RepairPlan) -> None:
        self.format, self.rules = transcript.format, transcript.format.RULES
        self.pairing, self.messages, self.plan = pairing, pairing.messages, plan
        self.wraps_results = self.format.wrap_results(()) is not None
        self.new_ids: dict[tuple[int, int], str] = {}
        self.filled_messages: set[int] = set()
        self.moved_messages: set[int] = set()
        self.blank_messages: set[int] = set()
        self.immovable = set(_find_immovable(pairing))
        self.results_by_turn: dict[int, list[PlacedResult]] = {}
        self.behind_by_turn: dict[int, set[tuple[int, Place]]] = {}
        for placed_call, placed_result in pairing.paired:
            self.results_by_turn.setdefault(placed_call.turn, []).append(placed_result)
        for placed_call, placed_result in pairing.behind:
            self.behind_by_turn.setdefault(placed_call.turn, set()).add((placed_result.at, placed_result.result.unit))
        self.passed_until, self.previous_sender, self.next_speech = 0, "", 0
        self.opening = next((at for at, record in enumerate(self.messages) if not record.results), len(self.messages))

    def rename_repeated_ids(self) -> None:
        """Replace each repeated call id, also in its result; an id that is the number of an event stays."""
        taken = {call.id for record in self.messages for call in record.calls}
        results_by_call = {
            _make_key(placed_call): placed_result
            for placed_call, placed_result in (*self.pairing.paired, *self.pairing.displaced)
        }
        tried: dict[str, Iterator[int]] = {}
        for placed_call in self.pairing.repeated:
            old = placed_call.call.id
            numbers = tried.setdefault(old, count(2))
            new = next(name for number in numbers if (name := f"{old}-{number}") not in taken)
            patches = list(patch_call_ids(self.messages[placed_call.at].value, placed_call.call, old, new))
            if not patches:
                continue
            taken.add(new)
            self.new_ids[_make_key(placed_call)] = new
            self.plan.add_patches(placed_call.at, patches)
            if placed_result := results_by_call.get(_make_key(placed_call)):
                self.plan.add_patches(
                    placed_result.at,
                    patch_ids(self.messages[placed_result.at].value, placed_result.result.unit, old, new),
                )
            self.plan.note_action(placed_call.at, f"renamed the second call {old} to {new}")

    def place_results(self) -> None:
        """Move displaced results to their calls, and insert placeholders for missing results."""
        due: dict[int, list[tuple[tuple[int, int], DueResult]]] = {}
        for placed_call in self.pairing.missing:
            due_result = DueResult(
                self.get_call(placed_call), self.format.make_result(self.get_call(placed_call), NO_RESULT)
            )
            due.setdefault(placed_call.turn, []).append((_make_key(placed_call), due_result))
            action = f"{_describe_call(placed_call)} had no result: inserted `{NO_RESULT}`"
            self.plan.note_action(placed_call.at, action)
        for placed_call, placed_result in (*self.pairing.displaced, *self.pairing.behind):
            if placed_result.at not in self.immovable and (
                placed_result.result.unit or placed_result.at not in self.moved_messages
            ):
                self.moved_messages.add(placed_result.at)
                due.setdefault(placed_call.turn, []).append(
                    (_make_key(placed_call), self.make_due_result(placed_call, placed_result))
                )
                self.plan.note_action(
                    placed_result.at, f"moved the result of {_describe_call(placed_call)} to its call"
                )
        for number in sorted(due):
            ordered = sorted(due[number], key=lambda item: item[0])
            self.insert_results(number, [item for _, item in ordered])

    def get_call(self, placed_call: PlacedCall) -> RecordCall:
        return placed_call.call._replace(id=self.new_ids.get(_make_key(placed_call), placed_call.call.id))

    def make_due_result(self, placed_call: PlacedCall, placed_result: PlacedResult) -> DueResult:
        """Return a displaced result: its whole entry, its element, or a new result with its text."""
        call, (old, unit) = self.get_call(placed_call), (placed_result.result.id, placed_result.result.unit)
        value = self.messages[placed_result.at].value
        if self.rules.layout != "next" and self.is_whole_entry(placed_result):
            return DueResult(call, patch_value(value, tuple(patch_ids(value, unit, old, call.id))), placed_result)
        if self.wraps_results and unit:
            inner = get_value(value, unit)
            return DueResult(call, patch_value(inner, tuple(patch_ids(inner, (), old, call.id))))
        return DueResult(call, self.format.make_result(call, placed_result.result.text))

    def is_whole_entry(self, placed_result: PlacedResult) -> bool:
        """Return whether a result is its whole entry, and the entry does not open the conversation."""
        record, unit = self.messages[placed_result.at], placed_result.result.unit
        return not unit or (
            has_only(record, {unit}) and not (self.rules.user_opens and placed_result.at <= self.opening)
        )

    def insert_results(self, number: int, due_results: Sequence[DueResult]) -> None:
        """Insert results into the message with the results of their response, or into new entries."""
        turn = self.pairing.turns[number]
        if self.rules.layout != "next":
            last = [
                placed_result.at
                for placed_result in self.results_by_turn.get(number, ())
                if self.rules.layout == "near"
            ]
            self.plan.insert_results(
                max([turn.last, *last]),
                [due_result if due_result.entry else self.wrap_result(due_result) for due_result in due_results],
            )
            return
        values = [due_result.value for due_result in due_results]
        if host := self.find_host(number, turn):
            at, place = host
            self.filled_messages.add(at)
            self.plan.add_patches(at, [ValuePatch(place, value, "insert") for value in values])
        elif self.rules.roles_alternate and turn.begin < turn.end and self.messages[turn.begin].passages:
            self.prepend_results(turn.begin, values)
        else:
            self.plan.insert_results(turn.last, [DueResult(due_results[0].call, self.format.wrap_results(values))])

    def wrap_result(self, due_result: DueResult) -> DueResult:
        """Return a result as an entry."""
        return (
            due_result._replace(value=self.format.wrap_results([due_result.value]))
            if self.wraps_results
            else due_result
        )

    def find_host(self, number: int, turn: Turn) -> tuple[int, Place] | None:
        """Return the message and the place for more results of a response, after the existing results.

        If roles alternate, or if results come after text, the message is the next one.
        """
        answers = self.results_by_turn.get(number, ())
        behind = self.behind_by_turn.get(number, set())
        places = [
            (placed_result.at, placed_result.result.unit) for placed_result in answers if placed_result.result.unit
        ]
        stay = [place for place in places if place not in behind]
        if stay:
            at, unit = max(stay, key=lambda candidate: (candidate[0], _get_index(candidate[1])))
            return at, (*unit[:-1], _get_index(unit) + 1)
        if turn.begin < turn.end and (self.rules.roles_alternate or any(at == turn.begin for at, _ in behind)):
            place = find_element_list(self.messages[turn.begin])
            return (turn.begin, (*place, 0)) if place else None
        return None

    def prepend_results(self, at: int, values: Sequence[JsonValue]) -> None:
        """Insert results before the text of a message whose content is plain text."""
        words = self.messages[at].passages[0]
        text_elements = [make_text_element(None, words.text)] if words.text.strip() else []
        self.filled_messages.add(at)
        self.plan.add_patches(at, [ValuePatch(words.place, [*values, *text_elements])])

    def remove_leftovers(self) -> None:
        """Remove unpaired results, the originals of moved results, and empty content."""
        removals: dict[int, set[Place]] = {}
        moved = (*self.pairing.displaced, *self.pairing.behind) if self.rules.layout != "within" else ()
        for placed_result in (
            *(placed_result for _, placed_result in moved),
            *self.pairing.orphans,
            *self.pairing.extra,
        ):
            if placed_result.at not in self.immovable:
                removals.setdefault(placed_result.at, set()).add(placed_result.result.unit)
        for placed_result in self.pairing.orphans:
            self.note_removed_result(
                placed_result, f"removed the result{_describe_result(placed_result)}, which answers no call"
            )
        for placed_result in self.pairing.extra:
            self.note_removed_result(placed_result, f"removed the second result{_describe_result(placed_result)}")
        if self.rules.layout == "next":
            self.add_blank_elements(removals)
        for at in sorted(removals):
            action = self.remove_elements(at, removals[at])
            if at in self.blank_messages and action:
                self.plan.note_action(at, action)

    def note_removed_result(self, placed_result: PlacedResult, action: str) -> None:
        """Note an action on a result, unless its message cannot change or was moved."""
        if placed_result.at not in self.immovable and (
            placed_result.result.unit or placed_result.at not in self.moved_messages
        ):
            self.plan.note_action(placed_result.at, action)

    def add_blank_elements(self, removals: dict[int, set[Place]]) -> None:
        """Add blank messages and elements to the removals."""
        number = {record.at: at for at, record in enumerate(self.messages)}
        empty = {number[record.at] for record in find_empty_messages(self.messages)} - self.filled_messages
        for at, record in enumerate(self.messages):
            if units := [()] if at in empty else find_blank_texts(record):
                removals.setdefault(at, set()).update(units)
                self.blank_messages.add(at)

    def _leaves_nothing(self, at: int, units: set[Place]) -> bool:
        """Return whether a message without some elements, or without its whole place, has no content."""
        if () in units:
            return True
        record = self.messages[at]
        return at not in self.filled_messages and record.kind == "message" and has_only(record, units)

    def remove_elements(self, at: int, units: set[Place]) -> str:
        """Remove elements of a message or the whole message; a message that must stay gets a placeholder.

        Return the action on empty content, empty if it stays unchanged.
        """
        action = "removed empty content"
        record = self.messages[at]
        if not self._leaves_nothing(at, units):
            self.plan.add_patches(at, [ValuePatch(unit, action="remove") for unit in units])
        elif (() in units and record.results) or not self.is_needed(at):
            self.plan.dropped.add(at)
        elif () in units:
            self.plan.add_patches(at, [ValuePatch(record.passages[0].place, NO_WORDS)] if record.passages else [])
            action = f"inserted `{NO_WORDS}` for empty content" if record.passages else ""
        else:
            first, *rest = sorted(units, key=_get_index)
            self.plan.add_patches(at, [ValuePatch(first, make_text_element(get_value(record.value, first), NO_CALL))])
            self.plan.add_patches(at, [ValuePatch(unit, action="remove") for unit in rest])
            action = f"inserted `{NO_CALL}` for empty content"
        return action

    def is_needed(self, at: int) -> bool:
        """Return whether the senders before and after a message require it to stay."""
        before = self.find_previous_sender(at)
        after = self.find_next_sender(at)
        if not before:
            return self.rules.user_opens and after != "user"
        return self.rules.roles_alternate and before == after != sender_of(self.messages[at])

    def find_previous_sender(self, at: int) -> str:
        """Return the sender of the last kept message before one, empty if there is none; calls come in order."""
        for place in range(self.passed_until, at):
            sender = sender_of(self.messages[place])
            if sender != "system" and place not in self.plan.dropped:
                self.previous_sender = sender
        self.passed_until = max(self.passed_until, at)
        return self.previous_sender

    def find_next_sender(self, at: int) -> str:
        """Return the sender of the next message, empty if there is none; no later message is dropped yet."""
        self.next_speech = max(self.next_speech, at + 1)
        while self.next_speech < len(self.messages) and sender_of(self.messages[self.next_speech]) == "system":
            self.next_speech += 1
        return sender_of(self.messages[self.next_speech]) if self.next_speech < len(self.messages) else ""


def _find_immovable(pairing: Pairing) -> Iterator[int]:
    """Yield messages with several results in one text, of which some are in the required position."""
    stay = {placed_result.at for _, placed_result in pairing.paired if not placed_result.result.unit}
    yield from (at for at in stay if len(pairing.messages[at].results) > 1)


def _make_key(placed_call: PlacedCall) -> tuple[int, int]:
    return placed_call.at, placed_call.number


def _get_index(unit: Place) -> int:
    return unit[-1] if unit and isinstance(unit[-1], int) else -1


def _describe_call(placed_call: PlacedCall) -> str:
    return " ".join(filter(None, ("the call", placed_call.call.name, placed_call.call.id)))


def _describe_result(placed_result: PlacedResult) -> str:
    return (
        f" of {placed_result.result.id or placed_result.result.name}"
        if placed_result.result.id or placed_result.result.name
        else ""
    )
