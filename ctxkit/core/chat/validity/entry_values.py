"""Inspection and copying of the JSON value of an entry."""

from collections.abc import Collection, Iterator, Sequence
from copy import deepcopy

from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.chat.model.record import Place, Record, RecordCall
from ctxkit.core.chat.model.tagged_text import RESPONSE_TAG, find_tagged
from ctxkit.core.text.json_value import JsonValue

ID_KEYS = ("id", "tool_use_id", "tool_call_id", "toolCallId", "call_id", "callId")
"""Members that contain the id of a call, in calls and in results."""
ID_LIST_KEY = "tool_call_ids"
"""SWE-agent's member with the ids of the calls that a message answers."""
_TEXT_KEYS = {"type", "text", "cache_control", "citations"}
"""Members of a block that contains only text."""


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
        if key in ID_KEYS and inner == old:
            yield ValuePatch((*unit, key), new)
        elif key == ID_LIST_KEY and isinstance(inner, list):
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
