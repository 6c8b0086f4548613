"""Change the result of a tool: maps in place of long texts.

Images, audio and resources stay, and errors keep their text. By the specification (2026-07-28, "Tools"), the
``structuredContent`` of a tool that declares an ``outputSchema`` must conform to it, and a text SHOULD repeat it: so it
is removed only if there is no schema and a text that became a map stands for it.
"""

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ctxkit.core.chat.editing import ValuePatch, dump_json
from ctxkit.core.chat.model.json_fields import get_object
from ctxkit.core.chat.model.message import Place
from ctxkit.core.text.json_value import JsonValue

STRUCTURED = "structuredContent"


class TextGate(NamedTuple):
    """Functions of a text: ``gate`` returns a map if it is too long, ``fits`` tells whether it is not.

    ``mask`` returns it without secrets; None if they are not masked.
    """

    gate: Callable[[str], str]
    fits: Callable[[str], bool]
    mask: Callable[[str], str] | None = None


class SeenTexts(NamedTuple):
    """The texts of a result that became maps, and what stands for its texts, by the indices of their blocks.

    One map may stand for all texts.
    """

    mapped: Mapping[int, str]
    shown: Mapping[int, str]

    def find_map(self, at: int) -> str:
        """Return the map that stands for a text."""
        return self.shown.get(at, self.shown[min(self.shown)])


def change_result(
    place: Place, result: Mapping[str, JsonValue], output: str | None, text_gate: TextGate
) -> list[ValuePatch]:
    """Return the changes of the result at a place.

    ``output`` is what its tool says of structured results, as ``find_output`` returns it.
    """
    blocks = result.get("content")
    listed = blocks if isinstance(blocks, list) else []
    texts = {at: block["text"] for at, block in enumerate(listed) if _is_text(block)}
    mask = text_gate.mask or (lambda text: text)
    masked = {at: mask(text) for at, text in texts.items()}
    shown = masked if result.get("isError") is True else _gate_texts(masked, text_gate)
    inside = (*place, "content")
    patches = [ValuePatch((*inside, at, "text"), shown[at]) for at in shown if shown[at] != texts[at]]
    patches += [ValuePatch((*inside, at), action="remove") for at in texts if at not in shown]
    if text_gate.mask is not None:
        patches += _mask_resources(inside, listed, mask)
    if STRUCTURED not in result:
        return patches
    seen = SeenTexts({at: text for at, text in texts.items() if shown.get(at) != masked[at]}, shown)
    return patches + _change_structured((*place, STRUCTURED), result[STRUCTURED], seen, output, text_gate)


def _gate_texts(texts: Mapping[int, str], text_gate: TextGate) -> dict[int, str]:
    """Return what stands for texts, by their indices; if all together are still too long, one map of them."""
    shown = {at: text_gate.gate(text) for at, text in texts.items()}
    if len(texts) < 2 or text_gate.fits("\n".join(shown.values())):
        return shown
    whole = "\n".join(texts.values())
    together = text_gate.gate(whole)
    return shown if together == whole else {min(texts): together}


def _is_text(block: JsonValue) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)


def _mask_resources(inside: Place, blocks: list[JsonValue], mask: Callable[[str], str]) -> list[ValuePatch]:
    """Return the changes that mask the texts of embedded resources."""
    patches: list[ValuePatch] = []
    for at, block in enumerate(blocks):
        text = get_object(block, "resource").get("text") if isinstance(block, dict) else None
        if isinstance(text, str) and (safe := mask(text)) != text:
            patches.append(ValuePatch((*inside, at, "resource", "text"), safe))
    return patches


def _change_structured(
    place: Place, value: JsonValue, seen: SeenTexts, output: str | None, text_gate: TextGate
) -> list[ValuePatch]:
    """Return the changes of a structured result, given the texts that became maps."""
    source = next((at for at, text in seen.mapped.items() if _stands_for(text, value)), None)
    if source is not None and output is None:
        return [ValuePatch(place, action="remove")]
    if source is not None and output and value == {output: seen.mapped[source]}:
        return [ValuePatch((*place, output), seen.find_map(source))]
    if text_gate.mask is None:
        return []
    text = dump_json(value)
    safe = text_gate.mask(text)
    return [] if safe == text else [ValuePatch(place, json.loads(safe))]


def _stands_for(text: str, value: JsonValue) -> bool:
    """Return whether a text repeats a structured value: as JSON, or as its only text."""
    if value == text or (isinstance(value, dict) and list(value.values()) == [text]):
        return True
    try:
        return text.lstrip()[:1] in ("{", "[") and bool(json.loads(text) == value)
    except (ValueError, RecursionError):
        return False
