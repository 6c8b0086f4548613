"""Looking into the value of an entry, and changing a copy of it."""

from collections.abc import Collection, Iterator, Sequence
from copy import deepcopy
from typing import Any

from ctxkit.core.chat.editor import Patch
from ctxkit.core.chat.record import Place, Record
from ctxkit.core.chat.shape import text
from ctxkit.core.chat.tagged import RESPONSE, tagged

IDS = ("id", "tool_use_id", "tool_call_id", "toolCallId", "call_id", "callId")
"""Members that name a call, in a call and in a result."""
LISTED = "tool_call_ids"
"""The member in which SWE-agent names the calls that a message answers."""
_TEXT = {"type", "text", "cache_control", "citations"}
"""Members of a block that is nothing but text."""


def held(value: Any, place: Place) -> Any:
    """Return what stands at a place inside a value; raises KeyError or IndexError when nothing does."""
    for step in place:
        value = value[step]
    return value


def changed(value: Any, patches: Sequence[Patch]) -> Any:
    """Return a copy of a value in which others stand in the places of some."""
    made = deepcopy(value)
    for patch in patches:
        held(made, patch.place[:-1])[patch.place[-1]] = patch.value
    return made


def renaming(value: Any, unit: Place, old: str, new: str) -> Iterator[Patch]:
    """Yield patches that give a call, or the result of one, another id: wherever its unit names the ``old`` one."""
    found = held(value, unit) if old != new else None
    if not isinstance(found, dict):
        return
    for key, inner in found.items():
        if key in IDS and inner == old:
            yield Patch((*unit, key), new)
        elif key == LISTED and isinstance(inner, list):
            yield from (Patch((*unit, key, at), new) for at, one in enumerate(inner) if one == old)
        elif isinstance(inner, dict):
            yield from renaming(value, (*unit, key), old, new)


def listing(record: Record) -> Place | None:
    """Return where the elements of a message stand, None where it is text or the format does not say."""
    for result in record.results:
        if result.unit:
            return result.unit[:-1]
    for passage in record.passages:
        if len(passage.place) > 1 and isinstance(passage.place[-2], int):
            return passage.place[:-2]
    return None


def are_all(record: Record, units: Collection[Place]) -> bool:
    """Tell whether some elements, which are results or text, are all that a message holds."""
    place = next(iter(units))[:-1]
    if isinstance(record.value, dict) and place[0] in record.value:
        return len(held(record.value, place)) == len(units)
    words, ends = text(record.value, "content"), [one.outer for one in tagged(text(record.value, "content"), RESPONSE)]
    between = zip([0, *(end for _, end in ends)], [*(start for start, _ in ends), len(words)], strict=True)
    return len(ends) == len(units) and not any(words[start:end].strip() for start, end in between)


def blanks(record: Record) -> list[Place]:
    """Return the elements of a message that are text and say nothing, none where there is nothing else."""
    found = []
    for passage in record.passages:
        place = passage.place[:-1]
        if not passage.text.strip() and place and isinstance(place[-1], int):
            found += [place] if set(held(record.value, place)) <= _TEXT else []
    return found if found and len(found) < len(held(record.value, found[0][:-1])) else []


def is_hollow(value: Any) -> bool:
    """Tell whether a message has a content, in which there is nothing."""
    body = value.get("message", value) if isinstance(value, dict) else None
    key = next((key for key in ("content", "parts") if isinstance(body, dict) and key in body), None)
    if not isinstance(body, dict) or key is None:
        return False
    content = body[key]
    if isinstance(content, list):
        return all(isinstance(one, dict) and set(one) <= _TEXT and _is_blank(one.get("text")) for one in content)
    return _is_blank(content)


def _is_blank(words: Any) -> bool:
    return words is None or (isinstance(words, str) and not words.strip())


def text_like(element: Any, words: str) -> dict[str, str]:
    """Return an element that is text, as those are written among which another stands."""
    typed = not isinstance(element, dict) or "type" in element
    return {"type": "text", "text": words} if typed else {"text": words}
