"""OpenAI Responses: a request with ``input``, an array of items, or one item per line."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing.editable_format import ApiRules
from ctxkit.core.chat.editing.editable_format import attach_entry as attach_entry
from ctxkit.core.chat.editing.editable_format import make_id as make_id
from ctxkit.core.chat.editing.editable_format import patch_parent as patch_parent
from ctxkit.core.chat.model import responses_items
from ctxkit.core.chat.model.attachments import read_file, size_of_base64
from ctxkit.core.chat.model.blocks import read_parts, read_thinking
from ctxkit.core.chat.model.calls_and_results import find_passages, read_toolset
from ctxkit.core.chat.model.json_fields import dump_value, get_object, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    ConversationStart,
    MessagePart,
    Place,
    RecordCall,
    RecordContent,
    RecordResult,
)
from ctxkit.core.chat.model.role_message import is_message, read_message
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "responses", "openai", True
RULES = ApiRules("any", loops_are_atomic=True, summary_role="system")
_HOSTED_OUTPUTS = ("output", "outputs", "results", "error")
"""Members of calls that the provider runs, with what they returned (API reference, Responses, input items)."""
_KNOWN_KINDS = ("message", "reasoning", *responses_items.ENCRYPTED_KINDS)


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a request with input, a list of items, or an item."""
    if isinstance(value, dict):
        input_ = value.get("input")
        is_request = "model" in value or "instructions" in value
        has_text_input = is_request and isinstance(input_, str) and "messages" not in value
        return (
            responses_items.is_item(value) or (_is_item_list(input_) and not get_text(value, "type")) or has_text_input
        )
    return isinstance(value, list) and any(map(responses_items.is_item, value)) and _is_item_list(value)


def _is_item_list(values: JsonValue) -> bool:
    """Return whether a list contains items or messages, and otherwise only headers and items of unknown types."""
    if not isinstance(values, list) or not any(responses_items.is_item(value) or is_message(value) for value in values):
        return False
    return all(get_text(value, "type") or is_message(value) or _is_header(value) for value in values)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield instructions, tools and items; raise ValueError if a value is not an item."""
    if _is_request(value):
        yield ConversationStart()
        if toolset := read_toolset(value):
            yield toolset
        if words := get_text(value, "instructions"):
            yield ChatMessage("system", (MessagePart("text", words),))
        input_ = value["input"]
        yield from (
            read_entries(input_) if isinstance(input_, list) else [ChatMessage("user", tuple(read_parts(input_)))]
        )
    elif isinstance(value, list):
        for item in value:
            yield from read_entries(item)
    elif isinstance(value, dict) and (get_text(value, "type") or is_message(value)):
        yield read_item(value)
    elif _is_header(value):
        if words := get_text(value, "instructions"):
            yield ChatMessage("system", (MessagePart("text", words),))
    else:
        raise ValueError("not an item: it has no type")


def _is_request(value: JsonValue) -> bool:
    return isinstance(value, dict) and "input" in value and not get_text(value, "type")


def is_continuation(values: Sequence[JsonValue]) -> bool:
    """Return whether a request or a list of items continues a conversation that the provider stores.

    Its calls may be in the stored part.
    """
    return any(
        get_text(value, "previous_response_id")
        or get_text(value, "conversation")
        or get_object(value, "conversation")
        or get_text(value, "type") == "item_reference"
        for value in values
    )


def _is_header(value: JsonValue) -> bool:
    """Return whether a line is metadata of the log around the items, as in early Codex rollouts."""
    if not isinstance(value, dict) or "type" in value:
        return False
    return "record_type" in value or ("id" in value and "timestamp" in value)


def _read_call(value: dict[str, JsonValue], kind: str) -> Iterator[MessagePart]:
    """Yield a call, and what a tool of the provider answered in the same item."""
    arguments = next((value[key] for key in responses_items.ARGUMENT_KEYS if key in value), None)
    yield MessagePart("call", dump_value(arguments), get_text(value, "name") or kind)
    for key in filter(value.get, _HOSTED_OUTPUTS):
        yield from _read_hosted_output(value[key])
    if kind == "image_generation_call":
        yield MessagePart("image", size=size_of_base64(get_text(value, "result")))


def read_item(value: dict[str, JsonValue]) -> ChatMessage:
    """Return an item as a message."""
    kind, call_id = get_text(value, "type"), get_text(value, "call_id")
    if responses_items.is_output(kind):
        output = value.get("output", value.get("tools"))
        parts = (
            read_parts(output, "result")
            if kind != "tool_search_output"
            else [MessagePart("result", dump_value(output))]
        )
        return ChatMessage("tool", tuple(parts), answers=_list_ids(call_id))
    if kind.endswith("_call"):
        return ChatMessage("assistant", tuple(_read_call(value, kind)), calls=_list_ids(call_id))
    if kind == "reasoning" or (kind not in _KNOWN_KINDS and get_text(value, "encrypted_content")):
        return ChatMessage("assistant", tuple(read_thinking(value)))
    if kind in ("compaction", "compaction_summary"):
        return ChatMessage(
            "assistant", (MessagePart("other", encrypted_size=len(get_text(value, "encrypted_content"))),)
        )
    if is_message(value, known_role=False):
        return read_message(value)
    rest = {key: member for key, member in value.items() if key not in ("id", "type", "status")}
    return ChatMessage("assistant", (MessagePart("other", dump_value(rest)),)) if rest else ChatMessage("assistant", ())


def _read_hosted_output(output: JsonValue) -> Iterator[MessagePart]:
    """Yield the results of a call that the provider runs: images, or anything else as compact JSON.

    The API does not say in which form the model receives them.
    """
    for item in output if isinstance(output, list) else [output]:
        is_image = get_text(item, "type") == "image"
        yield read_file(item, "image") if is_image else MessagePart("result", dump_value(item))


def _list_ids(call_id: str) -> tuple[str, ...]:
    return (call_id,) if call_id else ()


def find_entry_list(document: JsonValue) -> Place | None:
    """Return the place of the items in a request, None for an item or for a request with text input."""
    if isinstance(document, list):
        return ()
    return ("input",) if _is_request(document) and isinstance(document["input"], list) else None


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of an item; the input text of a request is a user passage."""
    if _is_request(value):
        return RecordContent("user", passages=tuple(find_passages(value["input"], ("input",))))
    if _is_header(value):
        return RecordContent(
            "system" if get_text(value, "instructions") else "", "note" if "record_type" in value else "head"
        )
    return responses_items.read_content(value)


def make_result_value(result: RecordResult, words: str) -> JsonValue:
    """Return the text of an output unchanged, because every editable output accepts text."""
    del result
    return words


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result item of a call."""
    return responses_items.make_result(call, words)


def wrap_results(results: Sequence[JsonValue]) -> JsonValue | None:
    """Return None, because each output is an item."""
    del results
    return None


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary message."""
    del key, parent, neighbor
    return (responses_items.make_message(words, role),)
