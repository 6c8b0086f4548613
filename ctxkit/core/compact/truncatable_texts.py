"""The texts of kept messages that may be shortened, and the patches that replace them."""

from collections.abc import Iterator
from json import dumps
from typing import Literal, NamedTuple

from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.chat.model.message import SYSTEM_ROLES, Place, Record, RecordCall
from ctxkit.core.compact.plan import CompactionInput, CompactionPlan
from ctxkit.core.compact.summary_prefix import is_instruction, is_summary
from ctxkit.core.text.json_value import JsonValue

Rank = Literal[0, 1, 2, 3, 4]
REQUEST: Rank = 2
UNSEEN: Rank = 3
INSTRUCTIONS: Rank = 4


class TruncatableText(NamedTuple):
    """A text that may be shortened: its place, its size in tokens, and the function that makes its patches.

    Lower ranks are shortened first: 0 is results and model output, 1 is user text, 2 is the last request, 3 is results
    that the model has not seen, and 4 is the instructions of a project.
    """

    at: int
    place: Place
    text: str
    rank: Rank
    size: int
    tool: str = ""
    call: str = ""
    make_patches: JsonValue = None
    is_result: bool = False


def _rank_text(conversation: CompactionInput, number: int, record: Record) -> Rank:
    """Return the rank of the texts of a message."""
    # What a host sends as a message of the user may be longer than a small window.
    if is_instruction(record):
        return INSTRUCTIONS
    if number == conversation.last_request:
        return REQUEST
    if number >= conversation.first_unseen:
        return UNSEEN
    from_user = record.role == "user" and not record.results and number not in conversation.observations
    return 1 if from_user else 0


def find_texts(conversation: CompactionInput, plan: CompactionPlan) -> Iterator[TruncatableText]:
    """Yield the texts that may be shortened in kept messages."""
    for number, record in enumerate(conversation.path):
        is_fixed = record.encrypted or record.role in SYSTEM_ROLES or record.kind != "message"
        if record.at in plan.dropped or is_fixed:
            continue
        done = plan.shortened.get(record.at, {})
        for at, place, words, make_patches, tool, call in _find_parts(conversation, record):
            if place in done or is_summary(record) or any(pin in words for pin in conversation.policy.pins):
                continue
            is_result = any(result.place == place for result in record.results)
            yield TruncatableText(
                at,
                place,
                words,
                _rank_text(conversation, number, record),
                conversation.token_counter.count_text(words),
                tool,
                call,
                make_patches,
                is_result,
            )


def _find_parts(conversation: CompactionInput, record: Record) -> Iterator[tuple[int, Place, str, JsonValue, str, str]]:
    """Yield the texts of a message: results, passages, and the longest argument of each call."""
    editor = conversation.transcript.format
    for result in record.results:
        if result.plain:

            def patch_result(words: str, result: JsonValue = result) -> tuple[ValuePatch, ...]:
                """Return the patches that replace the text of a result."""
                copies = (ValuePatch(copy, words) for copy in result.copies)
                return (ValuePatch(result.place, editor.make_result_value(result, words)), *copies)

            yield record.at, result.place, result.text, patch_result, result.name, result.id
    for passage in record.passages:

        def patch_passage(words: str, place: Place = passage.place) -> tuple[ValuePatch, ...]:
            """Return the patches that replace the text of a passage."""
            return (ValuePatch(place, words),)

        yield record.at, passage.place, passage.text, patch_passage, "", ""
    for call in record.calls:
        yield from _find_long_argument(record, call)


def _find_long_argument(record: Record, call: RecordCall) -> Iterator[tuple[int, Place, str, JsonValue, str, str]]:
    """Yield the longest text among the arguments of a call, given as an object or as JSON text."""
    arguments = call.arguments
    if not isinstance(arguments, dict):
        return
    texts = {key: value for key, value in arguments.items() if isinstance(value, str)}
    if not texts:
        return
    key = max(texts, key=lambda name: len(texts[name]))
    places = [(place, _value_at(record.value, place)) for place in (call.place, *call.copies)]

    def patch_argument(words: str) -> tuple[ValuePatch, ...]:
        """Return the patches that replace the text of an argument, as JSON text where it is that."""
        return tuple(
            ValuePatch(place, dumps({**arguments, key: words}, ensure_ascii=False))
            if isinstance(value, str)
            else ValuePatch((*place, key), words)
            for place, value in places
        )

    yield record.at, (*call.place, key), texts[key], patch_argument, call.name, call.id


def _value_at(value: JsonValue, place: Place) -> JsonValue:
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
