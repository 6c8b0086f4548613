"""Looking into the value of an entry, and changing a copy of it."""

from collections.abc import Collection, Iterator, Sequence
from copy import deepcopy
from typing import Any

from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.chat.model.record import Place, Record
from ctxkit.core.chat.model.tagged_text import RESPONSE_TAG, find_tagged

ID_KEYS = ("id", "tool_use_id", "tool_call_id", "toolCallId", "call_id", "callId")
"""Members that name a call, in a call and in a result."""
ID_LIST_KEY = "tool_call_ids"
"""The member in which SWE-agent names the calls that a message answers."""
_TEXT_KEYS = {"type", "text", "cache_control", "citations"}
"""Members of a block that is nothing but text."""


def get_value(value: Any, place: Place) -> Any:
    """Return what stands at a place inside a value; raises KeyError or IndexError when nothing does."""
    for step in place:
        value = value[step]
    return value


def patch_value(value: Any, patches: Sequence[ValuePatch]) -> Any:
    """Return a copy of a value in which others stand in the places of some."""
    copy = deepcopy(value)
    for patch in patches:
        get_value(copy, patch.place[:-1])[patch.place[-1]] = patch.value
    return copy


def patch_ids(value: Any, unit: Place, old: str, new: str) -> Iterator[ValuePatch]:
    """Yield patches that give a call, or the result of one, another id: wherever its unit names the ``old`` one."""
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


def find_element_list(record: Record) -> Place | None:
    """Return where the elements of a message stand, None where it is text or the format does not say."""
    for result in record.results:
        if result.unit:
            return result.unit[:-1]
    for passage in record.passages:
        if len(passage.place) > 1 and isinstance(passage.place[-2], int):
            return passage.place[:-2]
    return None


def has_only(record: Record, units: Collection[Place]) -> bool:
    """Tell whether some elements, which are results or text, are all that a message holds."""
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
    """Return the elements of a message that are text and say nothing, none where there is nothing else."""
    places = []
    for passage in record.passages:
        place = passage.place[:-1]
        if not passage.text.strip() and place and isinstance(place[-1], int):
            places += [place] if set(get_value(record.value, place)) <= _TEXT_KEYS else []
    return places if places and len(places) < len(get_value(record.value, places[0][:-1])) else []


def is_empty_message(value: Any) -> bool:
    """Tell whether a message has a content, in which there is nothing."""
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


def _is_blank(words: Any) -> bool:
    return words is None or (isinstance(words, str) and not words.strip())


def make_text_element(element: Any, words: str) -> dict[str, str]:
    """Return an element that is text, as those are written among which another stands."""
    typed = not isinstance(element, dict) or "type" in element
    return {"type": "text", "text": words} if typed else {"text": words}
