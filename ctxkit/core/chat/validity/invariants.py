"""The invariants of a valid conversation, and those that a change of one must preserve.

Each call has exactly one result and each result exactly one call, in the position that the API requires. A call at the
end may wait for its result. Ids are unique.

If the API requires it, results come first in their message, roles alternate and the user opens. System messages are
in their allowed position, and no message is empty.

A change keeps or drops the calls of one response together. It does the same with a loop of calls that begins with
reasoning, unless the kept rest of the loop also begins with reasoning. Encrypted entries stay unchanged and in order.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Literal, NamedTuple

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.editing import ApiRules, ValuePatch, patch_text
from ctxkit.core.chat.model.calls_and_results import RESPONSE_TAG, find_tagged
from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.chat.model.message import Place, Record, RecordCall
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.chat.validity.pairing import Pairing, PlacedCall, PlacedResult, pair_calls, sender_of
from ctxkit.core.text.json_value import JsonValue

_ID_KEYS = ("id", "tool_use_id", "tool_call_id", "toolCallId", "call_id", "callId")
"""Members that contain the id of a call, in calls and in results."""
_ID_LIST_KEY = "tool_call_ids"
"""SWE-agent's member with the ids of the calls that a message answers."""
_TEXT_KEYS = {"type", "text", "cache_control", "citations"}
"""Members of a block that contains only text."""
BreachRule = Literal[
    "unanswered", "orphan", "extra", "displaced", "behind", "repeated",  # calls and results
    "alternation", "opening", "system", "empty",  # messages
    "id", "surrogate", "trailing", "reasoning", "cache",  # limits of a request
    "together", "loop", "sealed",  # invariants of a change
]  # fmt: skip


class Breach(NamedTuple):
    """A broken rule: ``at`` is the index of the entry, ``line`` its 1-based line.

    ``ids`` are those of the calls concerned.
    """

    rule: BreachRule
    at: int
    line: int
    ids: tuple[str, ...]
    message: str


RawBreach = tuple[BreachRule, int, tuple[str, ...], str]
"""A breach without its line: the rule, the index of the entry, ids, and the message."""


def find_breaches(transcript: Transcript, path: Sequence[int] | None = None) -> tuple[Breach, ...]:
    """Return the breaches in a conversation as it would be sent, in file order.

    ``path`` contains the indices of the sent entries, by default those of ``find_active_path``.
    """
    records = [transcript.records[at] for at in (find_active_path(transcript) if path is None else path)]
    return add_lines(transcript, _check_records(records, transcript.format.RULES))


def _check_records(records: Sequence[Record], rules: ApiRules) -> tuple[RawBreach, ...]:
    """Return the breaches in entries that are in sending order."""
    pairing = pair_calls(records, rules)
    return (*_check_calls(pairing), *_check_messages(pairing.messages, rules))


def find_lines(transcript: Transcript, places: Iterable[int]) -> dict[int, int]:
    """Return the 1-based lines of entries by their indices."""
    line_numbers, line, start = {}, 1, 0
    for at in sorted({*places}):
        record = transcript.records[at]
        line, start = line + transcript.text.count("\n", start, record.start), record.start
        line_numbers[at] = line
    return line_numbers


def add_lines(transcript: Transcript, raw_breaches: Sequence[RawBreach]) -> tuple[Breach, ...]:
    """Return breaches with their lines, in file order."""
    line = find_lines(transcript, [at for _, at, _, _ in raw_breaches])
    ordered = sorted(raw_breaches, key=lambda raw_breach: raw_breach[1])
    return tuple(Breach(rule, at, line[at], ids, message) for rule, at, ids, message in ordered)


def _check_calls(pairing: Pairing) -> Iterator[RawBreach]:
    """Yield the breaches of rules about calls and results."""
    messages = pairing.messages
    for placed_call in pairing.missing:
        yield _make_call_breach("unanswered", messages, placed_call, "has no result")
    for placed_call in pairing.repeated:
        yield _make_call_breach("repeated", messages, placed_call, "has the same id as another call")
    for placed_result in pairing.orphans:
        yield _make_result_breach("orphan", messages, placed_result, "answers no call")
    for placed_result in pairing.extra:
        yield _make_result_breach("extra", messages, placed_result, "answers a call that already has a result")
    for paired_call, placed_result in pairing.displaced:
        where = (
            "precedes its call"
            if placed_result.at < paired_call.at
            else "is not where the API expects the result of its call"
        )
        yield _make_result_breach("displaced", messages, placed_result, where)
    for _, placed_result in pairing.behind:
        yield _make_result_breach("behind", messages, placed_result, "is not first in its message")


def _make_call_breach(rule: BreachRule, messages: Sequence[Record], placed_call: PlacedCall, what: str) -> RawBreach:
    name = f" of {placed_call.call.name}" if placed_call.call.name else ""
    ids = (placed_call.call.id,) if placed_call.call.id else ()
    return rule, messages[placed_call.at].at, ids, f"the call{name}{_join_ids(ids)} {what}"


def _make_result_breach(
    rule: BreachRule, messages: Sequence[Record], placed_result: PlacedResult, what: str
) -> RawBreach:
    name = f" of {placed_result.result.name}" if placed_result.result.name else ""
    ids = (placed_result.result.id,) if placed_result.result.id else ()
    return rule, messages[placed_result.at].at, ids, f"the result{name}{_join_ids(ids)} {what}"


def _join_ids(ids: Sequence[str]) -> str:
    """Return ids for the end of a message, empty for none."""
    return f" {', '.join(ids)}" if ids else ""


def _check_messages(messages: Sequence[Record], rules: ApiRules) -> Iterator[RawBreach]:
    """Yield the breaches of rules about roles and empty messages."""
    conversation = [record for record in messages if sender_of(record) != "system"]
    if rules.user_opens and conversation and sender_of(conversation[0]) == "assistant":
        yield "opening", conversation[0].at, (), "the first message must be from the user"
    if rules.roles_alternate:
        yield from _check_alternation(conversation, rules)
    yield from _check_system_messages(messages, rules)
    if rules.layout == "next":
        yield from _check_empty(messages)


def _check_alternation(conversation: Sequence[Record], rules: ApiRules) -> Iterator[RawBreach]:
    """Yield messages with the same sender as the previous one; skip separate call and result messages."""
    counted = (
        conversation
        if rules.layout == "next"
        else [record for record in conversation if not record.calls and not record.results]
    )
    for record, next_record in pairwise(counted):
        if sender_of(record) == sender_of(next_record):
            yield "alternation", next_record.at, (), f"two consecutive messages from the {sender_of(next_record)}"


def _check_system_messages(messages: Sequence[Record], rules: ApiRules) -> Iterator[RawBreach]:
    has_spoken = False
    for record in messages:
        if record.role != "system":
            has_spoken = True
        elif rules.layout == "next" and rules.summary_role == "user":
            yield "system", record.at, (), "a system message is between other messages"
        elif rules.roles_alternate and has_spoken:
            yield "system", record.at, (), "a system message follows other messages"


def find_empty_messages(messages: Sequence[Record]) -> Iterator[Record]:
    """Yield empty messages, except a last message of the model, which the model may continue."""
    for at, record in enumerate(messages):
        is_exempt = (
            record.encrypted or record.has_reasoning or sender_of(record) == "system" or record.kind == "summary"
        )
        last = at == len(messages) - 1 and sender_of(record) == "assistant"
        if not (is_exempt or last or record.calls or record.results) and is_empty_message(record.value):
            yield record


def _check_empty(messages: Sequence[Record]) -> Iterator[RawBreach]:
    """Yield breaches for empty messages, and for messages with blank text elements."""
    empty = {record.at for record in find_empty_messages(messages)}
    for record in messages:
        if record.at in empty:
            yield "empty", record.at, (), f"a message from the {sender_of(record)} is empty"
        elif find_blank_texts(record):
            yield "empty", record.at, (), f"a message from the {sender_of(record)} contains empty text"


def get_value(value: JsonValue, place: Place) -> JsonValue:
    """Return the value at a place; raise KeyError or IndexError if it does not exist."""
    for step in place:
        value = value[step]
    return value


def patch_value(value: JsonValue, patches: Sequence[ValuePatch]) -> JsonValue:
    """Return a copy of a value after patches that replace values inside it."""
    copy = deepcopy(value)
    for patch in patches:
        get_value(copy, patch.place[:-1])[patch.place[-1]] = patch.value
    return copy


def patch_ids(value: JsonValue, unit: Place, old: str, new: str) -> Iterator[ValuePatch]:
    """Yield patches that replace the ``old`` id of a call or result wherever its unit contains it."""
    element = get_value(value, unit) if old != new else None
    if not isinstance(element, dict):
        return
    for key, inner in element.items():
        if key in _ID_KEYS and inner == old:
            yield ValuePatch((*unit, key), new)
        elif key == _ID_LIST_KEY and isinstance(inner, list):
            yield from (ValuePatch((*unit, key, at), new) for at, id_ in enumerate(inner) if id_ == old)
        elif isinstance(inner, dict):
            yield from patch_ids(value, (*unit, key), old, new)


def patch_call_ids(value: JsonValue, call: RecordCall, old: str, new: str) -> Iterator[ValuePatch]:
    """Yield patches that replace the ``old`` id of a call, also in the blocks that repeat the call."""
    for unit in (call.unit, *(copy[:-1] for copy in call.copies)):
        yield from patch_ids(value, unit, old, new)


def find_element_list(record: Record) -> Place | None:
    """Return the place of the list of elements in a message, None if it is text or unknown."""
    for result in record.results:
        if result.unit:
            return result.unit[:-1]
    for passage in record.passages:
        if len(passage.place) > 1 and isinstance(passage.place[-2], int):
            return passage.place[:-2]
    return None


def has_only(record: Record, units: Collection[Place]) -> bool:
    """Return whether a message contains only the given elements, which are results or text."""
    place = next(iter(units))[:-1]
    if isinstance(record.value, dict) and place[0] in record.value:
        return len(get_value(record.value, place)) == len(units)
    words, ends = (
        get_text(record.value, "content"),
        [element.outer for element in find_tagged(get_text(record.value, "content"), RESPONSE_TAG)],
    )
    between = zip([0, *(end for _, end in ends)], [*(start for start, _ in ends), len(words)], strict=True)
    return len(ends) == len(units) and not any(words[start:end].strip() for start, end in between)


def find_blank_texts(record: Record) -> list[Place]:
    """Return the places of blank text elements, empty if the message contains nothing else."""
    places = []
    for passage in record.passages:
        place = passage.place[:-1]
        if not passage.text.strip() and place and isinstance(place[-1], int):
            places += [place] if set(get_value(record.value, place)) <= _TEXT_KEYS else []
    return places if places and len(places) < len(get_value(record.value, places[0][:-1])) else []


def is_empty_message(value: JsonValue) -> bool:
    """Return whether a message has a content that is empty."""
    body = value.get("message", value) if isinstance(value, dict) else None
    key = next((key for key in ("content", "parts") if isinstance(body, dict) and key in body), None)
    if not isinstance(body, dict) or key is None:
        return False
    content = body[key]
    if isinstance(content, list):
        return all(
            isinstance(element, dict) and set(element) <= _TEXT_KEYS and _is_blank(element.get("text"))
            for element in content
        )
    return _is_blank(content)


def _is_blank(words: JsonValue) -> bool:
    return words is None or (isinstance(words, str) and not words.strip())


def make_text_element(element: JsonValue, words: str) -> dict[str, str]:
    """Return a text element in the form of its neighbours."""
    typed = not isinstance(element, dict) or "type" in element
    return {"type": "text", "text": words} if typed else {"text": words}


def find_change_breaches(before: Transcript, after: Transcript, leaf: str = "") -> tuple[Breach, ...]:
    """Return the breaches that a change causes, with indices and lines of the conversation before it.

    ``leaf`` is the id of the newest entry of the changed path.
    """
    was = [before.records[at] for at in find_active_path(before, leaf)]
    now = [after.records[at] for at in find_active_path(after)]
    left = {call.id for record in now for call in record.calls}
    raw_breaches = [
        *_check_split_responses(was, before.format.RULES, left),
        *_check_encrypted(before, was, [*_list_encrypted(after, now)]),
    ]
    if before.format.RULES.loops_are_atomic:
        kept = _find_kept_answers(before, _list_answers(was), after, _list_answers(now))
        raw_breaches += _check_split_loops(
            _find_reasoning_loops(was),
            lambda message: _get_first_id(message) in left if _get_first_id(message) else message.at in kept,
        )
    return add_lines(before, raw_breaches)


def _get_first_id(record: Record) -> str:
    """Return the id of the first call of a message, which identifies the message."""
    return next((call.id for call in record.calls if call.id), "")


def _list_answers(records: Sequence[Record]) -> list[Record]:
    """Return the model messages that no call identifies."""
    return [record for record in records if sender_of(record) == "assistant" and not _get_first_id(record)]


def _find_kept_answers(
    before: Transcript, was: Sequence[Record], after: Transcript, now: Sequence[Record]
) -> set[int]:
    """Return the indices of the messages of ``was`` that a change kept, as they were or with shortened texts.

    A change drops old messages and shortens later ones, so that of equal candidates the last were shortened.
    """
    texts = [_get_text(before, record) for record in was]
    new_texts = [_get_text(after, record) for record in now]
    unchanged, known = set(new_texts), set(texts)
    kept = {record.at for record, text in zip(was, texts, strict=True) if text in unchanged}
    shapes = Counter(
        _get_shape(after, record) for record, text in zip(now, new_texts, strict=True) if text not in known
    )
    for record in reversed(was if shapes else ()):
        if record.at not in kept and shapes[shape := _get_shape(before, record)]:
            shapes[shape] -= 1
            kept.add(record.at)
    return kept


def _get_shape(transcript: Transcript, record: Record) -> str:
    """Return the raw text of an entry without its parent and its texts."""
    patches = [ValuePatch(passage.place, "") for passage in record.passages]
    return patch_text(transcript.get_raw(record), 0, [*_patch_parent(transcript, record), *patches])


def _patch_parent(transcript: Transcript, record: Record) -> Sequence[ValuePatch]:
    return transcript.format.patch_parent(record.value, None) if record.link else ()


def _list_encrypted(transcript: Transcript, records: Sequence[Record]) -> Iterator[str]:
    yield from (_get_text(transcript, record) for record in records if record.encrypted)


def _find_reasoning_loops(records: Sequence[Record]) -> Iterator[tuple[Record, ...]]:
    """Yield the model messages of each loop that begins with reasoning, up to the next user message.

    A response without calls and without successors is not a loop.
    """
    loop: list[Record] = []
    for record in records:
        if record.kind not in ("message", "summary"):
            continue
        if sender_of(record) == "assistant":
            loop += [record] if loop or record.has_reasoning else []
        elif not record.results or record.words.strip():
            yield from _complete_loop(loop)
            loop = []
    yield from _complete_loop(loop)


def _complete_loop(loop: Sequence[Record]) -> Iterator[tuple[Record, ...]]:
    if any(record.calls for record in loop):
        yield tuple(loop)


def _get_text(transcript: Transcript, record: Record) -> str:
    """Return the raw text of an entry without its parent in a tree."""
    raw = transcript.get_raw(record)
    return raw if record.link is None else patch_text(raw, 0, _patch_parent(transcript, record))


def _list_calls_by_turn(pairing: Pairing) -> list[list[RecordCall]]:
    """Return the calls of each turn."""
    return [
        [call for record in pairing.messages[turn.first : turn.last + 1] for call in record.calls]
        for turn in pairing.turns
    ]


def _check_split_responses(was: Sequence[Record], rules: ApiRules, left: set[str]) -> Iterator[RawBreach]:
    """Yield responses that lost some of their calls; ids that several responses use are ignored."""
    pairing = pair_calls(was, rules)
    turns = _list_calls_by_turn(pairing)
    uses = Counter(id_ for calls in turns for id_ in {call.id for call in calls})
    for turn, calls in zip(pairing.turns, turns, strict=True):
        ids = [call.id for call in calls if call.id and uses[call.id] == 1]
        gone = tuple(id_ for id_ in ids if id_ not in left)
        if gone and len(gone) < len(ids):
            record = pairing.messages[turn.first]
            yield "together", record.at, gone, f"a response lost some of its calls:{_join_ids(gone)}"


def _check_split_loops(
    reasoning_loops: Iterator[tuple[Record, ...]], is_left: Callable[[Record], bool]
) -> Iterator[RawBreach]:
    """Yield loops that are partly kept, unless the kept rest begins with reasoning."""
    for loop in reasoning_loops:
        left = [is_left(record) for record in loop]
        first = left.index(True) if any(left) else len(loop)
        if first < len(loop) and not (all(left[first:]) and loop[first].has_reasoning):
            gone = [record for record, stays in zip(loop, left, strict=True) if not stays]
            ids = tuple(call.id for record in gone for call in record.calls if call.id)
            yield "loop", gone[0].at, ids, "a loop that begins with reasoning is torn"


def _check_encrypted(before: Transcript, was: Sequence[Record], texts: Sequence[str]) -> Iterator[RawBreach]:
    """Yield encrypted entries that were dropped, changed or moved.

    Encrypted reasoning may be dropped with its response.
    """
    at = 0
    counts = Counter(texts)
    for record in was:
        if not record.encrypted:
            continue
        raw = _get_text(before, record)
        if not counts[raw]:
            if not record.has_reasoning:
                yield "sealed", record.at, (), "an entry that only the provider can read is gone, or not as it was"
            continue
        try:
            at = texts.index(raw, at) + 1
        except ValueError:
            yield "sealed", record.at, (), "an entry that only the provider can read has changed its place"
