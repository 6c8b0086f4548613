"""Calls, results and words in the content of a message, and where they stand."""

from collections.abc import Iterator
from typing import Any

from ctxkit.core.chat.blocks import parts_of
from ctxkit.core.chat.record import Anatomy, Call, Passage, Place, Result
from ctxkit.core.chat.shape import dumped, mapping, objects, text

CALLS = {"tool_use": "id", "toolCall": "id", "tool-call": "toolCallId"}
"""Blocks that are calls, and the member that is their id."""
SETTLED = ("server_tool_use", "mcp_tool_use")
"""Blocks that are calls which the provider answers itself, in the same message."""
RESULTS = {"tool_result": "tool_use_id", "tool-result": "toolCallId"}
"""Blocks that are results, and the member that is the id of their call."""
THOUGHTS = ("thinking", "redacted_thinking", "reasoning", "redacted-reasoning")
CALL, RESULT = "toolUse", "toolResult"
"""Members that a call and a result are in Bedrock's blocks, which have no type."""
_WORDS = ("text", "input_text", "output_text")
_GIVEN = ("input", "arguments", "args")
_OUTPUT = ("content", "output", "result")


def within(found: Anatomy, place: Place) -> Anatomy:
    """Return the anatomy of a message as that of the entry which holds it at ``place``."""
    return found._replace(
        calls=tuple(one._replace(place=(*place, *one.place), unit=_moved(one.unit, place)) for one in found.calls),
        results=tuple(one._replace(place=(*place, *one.place), unit=_moved(one.unit, place)) for one in found.results),
        passages=tuple(Passage(one.text, (*place, *one.place)) for one in found.passages),
    )


def _moved(unit: Place, place: Place) -> Place:
    """Return where the element of an entry stands, () where it is the whole of it."""
    return (*place, *unit) if unit else ()


def numbered(content: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the blocks of a content with their places in it."""
    if isinstance(content, list):
        yield from ((at, block) for at, block in enumerate(content) if isinstance(block, dict))


def calls_in(content: Any, place: Place) -> Iterator[Call]:
    """Yield the calls among the blocks of the content at ``place``."""
    for at, block in numbered(content):
        kind = text(block, "type")
        if kind in CALLS or kind in SETTLED:
            key = next((key for key in _GIVEN if key in block), _GIVEN[0])
            unit = (*place, at)
            name = text(block, "name") or text(block, "toolName")
            id_ = text(block, CALLS.get(kind, "id"))
            yield Call(id_, name, given(block.get(key)), (*unit, key), unit, kind in SETTLED)
        elif not kind and (held := mapping(block, CALL)):
            made = (text(held, "toolUseId"), text(held, "name"), given(held.get("input")))
            yield Call(*made, (*place, at, CALL, "input"), (*place, at), text(held, "type") == "server_tool_use")


def results_in(content: Any, place: Place) -> Iterator[Result]:
    """Yield the results among the blocks of the content at ``place``."""
    for at, block in numbered(content):
        kind = text(block, "type")
        if kind in RESULTS:
            key = next((key for key in _OUTPUT if key in block), _OUTPUT[0])
            unit, held = (*place, at), block.get(key)
            failed = block.get("is_error") is True or block.get("isError") is True
            name = text(block, "toolName")
            yield Result(text(block, RESULTS[kind]), said(held), (*unit, key), name, failed, plain(held), (), unit)
        elif not kind and (body := mapping(block, RESULT)):
            unit, held, failed = (*place, at), body.get("content"), text(body, "status") == "error"
            id_, only = text(body, "toolUseId"), all("text" in one for one in objects(held))
            yield Result(id_, said(held), (*unit, RESULT, "content"), "", failed, only, (), unit)


def passages_in(content: Any, place: Place) -> Iterator[Passage]:
    """Yield the words of the content at ``place``."""
    if isinstance(content, str):
        yield Passage(content, place)
    for at, block in numbered(content):
        kind = text(block, "type")
        if (kind in _WORDS or (not kind and "text" in block)) and isinstance(block.get("text"), str):
            yield Passage(block["text"], (*place, at, "text"))


def thinks(content: Any) -> bool:
    """Tell whether a content begins with reasoning."""
    first = next((block for _, block in numbered(content)), {})
    return text(first, "type") in THOUGHTS or "reasoningContent" in first


def sealed(content: Any) -> bool:
    """Tell whether a content holds what only its provider can read, and in place of what it has forgotten.

    Reasoning is not meant: a response may leave with it.
    """
    return any(text(block, "type") == "compaction" for _, block in numbered(content))


def given(arguments: Any) -> Any:
    """Return the arguments of a call: a mapping, also where it is written as JSON, else text."""
    if isinstance(arguments, dict):
        return arguments
    if not isinstance(arguments, str):
        return dumped(arguments)
    from json import loads

    try:
        value = loads(arguments, strict=False)
    except (ValueError, RecursionError):
        return arguments
    return value if isinstance(value, dict) else arguments


def said(content: Any) -> str:
    """Return what a model reads of the content of a result."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict) and "value" in content:
        return dumped(content["value"])
    return "\n".join(part.text for part in parts_of([content] if isinstance(content, dict) else content) if part.text)


def plain(content: Any) -> bool:
    """Tell whether a content is nothing but text."""
    if content is None or isinstance(content, str):
        return True
    if not isinstance(content, list):
        return text(content, "type") in _WORDS
    return all(isinstance(block, str) or text(block, "type") in _WORDS for block in content)
