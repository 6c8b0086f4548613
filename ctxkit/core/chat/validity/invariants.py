"""The invariants of a valid conversation.

Each call has exactly one result and each result exactly one call, in the position that the API requires. A call at the
end may wait for its result. Ids are unique.

If the API requires it, results come first in their message, roles alternate and the user opens. System messages are
in their allowed position, and no message is empty.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Literal, NamedTuple

from ctxkit.core.chat.branches.active_path import find_active_path
from ctxkit.core.chat.editing.editable_format import ApiRules, ValuePatch
from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.chat.model.message import Place, Record, RecordCall
from ctxkit.core.chat.model.role_message import RESPONSE_TAG, find_tagged
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.chat.validity.call_matching import PlacedCall, PlacedResult, sender_of
from ctxkit.core.chat.validity.pairing import Pairing, pair_calls
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
    return rule, messages[placed_call.at].at, ids, f"the call{name}{join_ids(ids)} {what}"


def _make_result_breach(
    rule: BreachRule, messages: Sequence[Record], placed_result: PlacedResult, what: str
) -> RawBreach:
    name = f" of {placed_result.result.name}" if placed_result.result.name else ""
    ids = (placed_result.result.id,) if placed_result.result.id else ()
    return rule, messages[placed_result.at].at, ids, f"the result{name}{join_ids(ids)} {what}"


def join_ids(ids: Sequence[str]) -> str:
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
