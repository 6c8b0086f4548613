"""Messages with a role and a content, as OpenAI, Anthropic and most other providers write them."""

from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.chat.model.blocks import (
    HAYSTACK_CALL,
    HAYSTACK_RESULT,
    RESULT_IDS,
    find_repeated_id,
    list_blocks,
    read_parts,
)
from ctxkit.core.chat.model.calls_and_results import parse_arguments
from ctxkit.core.chat.model.json_fields import dump_value, get_first_text, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import ChatMessage, EntryLink, MessagePart, PartKind
from ctxkit.core.text.json_value import JsonValue

ROLES = ("system", "developer", "user", "assistant", "tool", "function", "human", "ai", "model", "toolResult")
SUBAGENT_ROLE = "assistant-subagent-"
"""Beginning of the role of all messages of another agent, in exports of sessions; the id of the agent follows."""
_RESULT_ROLES = ("tool", "function", "toolResult", "tool_result", "ipython")
_REASONING_KEYS = ("reasoning_content", "reasoning")


def is_message(value: JsonValue, *, known_role: bool = True) -> bool:
    """Return whether a value is a message with a role and a content or calls; ``known_role`` requires a known role."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str):
        return False
    has_content = "content" in value or "tool_calls" in value or "function_call" in value
    return has_content and (not known_role or value["role"] in ROLES or value["role"].startswith(SUBAGENT_ROLE))


def is_message_list(values: JsonValue, *, known_role: bool = True) -> bool:
    """Return whether a value is a list whose first element is a message and whose elements all have a role."""
    if not isinstance(values, list) or not values or not is_message(values[0], known_role=known_role):
        return False
    return all(isinstance(value, dict) and isinstance(value.get("role"), str) for value in values)


def read_message(value: dict[str, JsonValue], link: EntryLink | None = None) -> ChatMessage:
    """Return a message with all its parts, calls and results."""
    role = get_text(value, "role") or "user"
    is_result = role in _RESULT_ROLES
    kind: PartKind = "result" if is_result else "text"
    content = value.get("content")
    if len(value) == 2 and isinstance(content, str):  # most messages are a role and a text: this takes half the time
        return ChatMessage(role, (MessagePart(kind, content),) if content else (), link=link)
    parts = [*_read_reasoning(value), *read_parts(_remove_repeated_calls(value), kind), *_read_calls(value)]
    if refusal := get_text(value, "refusal"):
        parts.append(MessagePart(kind, refusal))
    name = get_text(value, "name") or (get_text(value, "toolName") if is_result else "")
    return ChatMessage(role, tuple(parts), name, _list_call_ids(value), _list_answered_ids(value, is_result), link)


def _remove_repeated_calls(value: dict[str, JsonValue]) -> JsonValue:
    """Return the content of a message without the blocks that repeat one of its ``tool_calls``."""
    content = value.get("content")
    ids = {id_ for call in get_objects(value, "tool_calls") if (id_ := get_text(call, "id"))}
    if not ids or not isinstance(content, list):
        return content
    return [block for block in content if not find_repeated_id(block, ids)]


def _read_reasoning(value: dict[str, JsonValue]) -> Iterator[MessagePart]:
    for key in _REASONING_KEYS:
        if words := get_text(value, key):
            yield MessagePart("thinking", words)
            return


def _read_calls(value: dict[str, JsonValue]) -> Iterator[MessagePart]:
    for call in [*get_objects(value, "tool_calls"), get_object(value, "function_call")]:
        function = get_object(call, "function") or get_object(call, "custom") or call
        if function:
            arguments = function.get("arguments", function.get("input", function.get("args")))
            yield MessagePart("call", dump_value(arguments), get_text(function, "name"))


def _list_call_ids(value: dict[str, JsonValue]) -> tuple[str, ...]:
    kinds = ("tool_use", "toolCall", "tool_call")
    blocks = [block for block in list_blocks(value.get("content")) if get_text(block, "type") in kinds]
    ids = [get_text(call, "id") for call in get_objects(value, "tool_calls")]
    ids += [get_first_text(block, ("id", "tool_id")) for block in blocks]
    ids += [get_text(get_object(block, HAYSTACK_CALL), "id") for block in get_objects(value, "content")]
    return tuple(dict.fromkeys(filter(None, ids)))


def read_result_id(value: dict[str, JsonValue]) -> str:
    """Return the id of the call that a result message answers: tau2-bench, which names who called, has it as ``id``."""
    return get_first_text(value, (*RESULT_IDS, "id") if "requestor" in value else RESULT_IDS)


def _list_answered_ids(value: dict[str, JsonValue], is_result: bool) -> tuple[str, ...]:
    blocks = [block for block in list_blocks(value.get("content")) if get_text(block, "type") == "tool_result"]
    ids = [read_result_id(item) for item in ([*blocks, value] if is_result else blocks)]
    results = [get_object(block, HAYSTACK_RESULT) for block in get_objects(value, "content")] if is_result else []
    return tuple(filter(None, [*ids, *(get_text(get_object(result, "origin"), "id") for result in results)]))


CALL_TAG, RESPONSE_TAG = "tool_call", "tool_response"


class TaggedText(NamedTuple):
    """The text between two tags, its start and end, and the span including the tags."""

    text: str
    start: int
    end: int
    outer: tuple[int, int]


def find_tagged(words: str, tag: str) -> Iterator[TaggedText]:
    """Yield the text between each pair of tags, without surrounding blanks."""
    opening, closing = f"<{tag}>", f"</{tag}>"
    at = words.find(opening)
    while at >= 0:
        start = at + len(opening)
        end = words.find(closing, start)
        if end < 0:
            return
        inner, after = words[start:end], end + len(closing)
        bare = inner.strip()
        begin = start + len(inner) - len(inner.lstrip()) if bare else end
        yield TaggedText(bare, begin, begin + len(bare), (at, after))
        at = words.find(opening, after)


def parse_call(words: str) -> tuple[str, JsonValue]:
    """Return the name and the arguments of a call; text that is not JSON has no name."""
    value = parse_arguments(words)
    if not isinstance(value, dict):
        return "", value
    return get_text(value, "name"), parse_arguments(value.get("arguments", value.get("parameters")))


def parse_response(words: str) -> tuple[str, str]:
    """Return the tool name of a result, empty if unknown, and the text of the result."""
    value = parse_arguments(words)
    if isinstance(value, dict) and get_text(value, "name") and "content" in value:
        return get_text(value, "name"), dump_value(value["content"])
    return "", words
