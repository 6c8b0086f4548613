"""OpenAI Responses: a request with ``input``, an array of items, or one item per line."""

import re
from collections.abc import Iterator, Sequence
from json import loads

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import make_result_value as make_result_value
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.editing import wrap_results as wrap_results
from ctxkit.core.chat.model.blocks import read_file, read_parts, read_thinking, size_of_base64
from ctxkit.core.chat.model.calls_and_results import (
    find_passages,
    is_message,
    is_plain_text,
    parse_arguments,
    read_message,
    read_result_text,
    read_toolset,
)
from ctxkit.core.chat.model.json_fields import dump_value, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import (
    SYSTEM_ROLES,
    ChatEntry,
    ChatMessage,
    ConversationStart,
    MessagePart,
    Place,
    RecordCall,
    RecordContent,
    RecordResult,
    Role,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "responses", "openai", True
RULES = ApiRules("any", loops_are_atomic=True, summary_role="system")
_HOSTED_OUTPUTS = ("output", "outputs", "results", "error")
"""Members of calls that the provider runs, with what they returned (API reference, Responses, input items)."""
_ENCRYPTED_KINDS = ("compaction", "compaction_summary", "item_reference")
"""Types of items that only the provider can read."""
_KNOWN_KINDS = ("message", "reasoning", *_ENCRYPTED_KINDS)


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a request with input, a list of items, or an item."""
    if isinstance(value, dict):
        input_ = value.get("input")
        is_request = "model" in value or "instructions" in value
        has_text_input = is_request and isinstance(input_, str) and "messages" not in value
        return is_item(value) or (_is_item_list(input_) and not get_text(value, "type")) or has_text_input
    return isinstance(value, list) and any(map(is_item, value)) and _is_item_list(value)


def _is_item_list(values: JsonValue) -> bool:
    """Return whether a list contains items or messages, and otherwise only headers and items of unknown types."""
    if not isinstance(values, list) or not any(is_item(value) or is_message(value) for value in values):
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
    arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    yield MessagePart("call", dump_value(arguments), get_text(value, "name") or kind)
    for key in filter(value.get, _HOSTED_OUTPUTS):
        yield from _read_hosted_output(value[key])
    if kind == "image_generation_call":
        yield MessagePart("image", size=size_of_base64(get_text(value, "result")))


def read_item(value: dict[str, JsonValue]) -> ChatMessage:
    """Return an item as a message."""
    kind, call_id = get_text(value, "type"), get_text(value, "call_id")
    if is_output(kind):
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
    return read_item_content(value)


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result item of a call."""
    return make_output(call, words)


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary message."""
    del key, parent, neighbor
    return (make_item(words, role),)


_ARGUMENT_KEYS = ("arguments", "input", "action", "operation", "code", "queries")
"""Members with the input of a call: functions, custom tools, shells and computers, patches, hosted tools."""
_SERVER_CALLS = ("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call")
"""Types of calls that the provider runs."""
_APPROVAL = ("mcp_approval_request", "mcp_approval_response")
_FIXED_OUTPUTS = ("tool_search_output", "computer_call_output")
"""Types of outputs that text cannot replace: found tools and images."""
_EXIT = re.compile(r"^(?:Exit code: |Process exited with code |\(?exit(?:ed)? (?:code|with) )(-?\d+)", re.MULTILINE)
_HEAD = 400
"""Characters in which Codex states the exit status, before the output of the command."""


def is_output(kind: str) -> bool:
    """Return whether items of a type answer a call."""
    return kind.endswith("_call_output") or kind == "tool_search_output"


def is_item(value: JsonValue) -> bool:
    """Return whether a value is an item that Chat Completions does not have."""
    kind = get_text(value, "type")
    if kind == "message":
        return isinstance(value.get("role"), str) and "content" in value
    if kind == "reasoning":
        return "summary" in value or "encrypted_content" in value
    if kind.endswith("_call") or is_output(kind) or kind in _APPROVAL:
        return any(key in value for key in ("call_id", "id", "approval_request_id"))
    return kind in _ENCRYPTED_KINDS and ("encrypted_content" in value or "id" in value)


def read_item_content(value: dict[str, JsonValue]) -> RecordContent:
    """Return the role, calls, results and passages of an item."""
    kind = get_text(value, "type")
    if is_output(kind) or kind == _APPROVAL[1]:
        return RecordContent("tool", results=tuple(_read_results(value, kind)))
    if kind.endswith("_call") or kind == _APPROVAL[0]:
        return RecordContent("assistant", calls=(_read_item_call(value, kind),))
    if kind == "reasoning":
        return RecordContent("assistant", has_reasoning=True)
    encrypted = kind in _ENCRYPTED_KINDS or _is_encrypted(value)
    words = () if encrypted else tuple(find_passages(value.get("content"), ("content",)))
    return RecordContent(_read_role(value), passages=words, encrypted=encrypted)


def _is_encrypted(value: dict[str, JsonValue]) -> bool:
    """Return whether an item, or a block of its content, is encrypted."""
    return any(get_text(element, "encrypted_content") for element in (value, *get_objects(value, "content")))


def _read_role(value: dict[str, JsonValue]) -> Role:
    role = get_text(value, "role")
    return "system" if role in SYSTEM_ROLES else "user" if role == "user" else "tool" if role == "tool" else "assistant"


def _read_item_call(value: dict[str, JsonValue], kind: str) -> RecordCall:
    """Return a call; a call that the provider runs has no ``call_id``, and a tool search names its executor."""
    call_id = get_text(value, "call_id")
    shell = kind == "local_shell_call" or kind == _APPROVAL[0]
    by_provider = kind in _SERVER_CALLS or (not call_id and not shell) or get_text(value, "execution") == "server"
    key = next((key for key in _ARGUMENT_KEYS if key in value), "")
    name = get_text(value, "name") if kind != _APPROVAL[0] else ""
    return RecordCall(
        call_id or get_text(value, "id"),
        name or kind,
        parse_arguments(value.get(key)),
        (key,) if key else (),
        needs_no_result=by_provider,
    )


def _read_results(value: dict[str, JsonValue], kind: str) -> list[RecordResult]:
    """Return the results in an output; a shell output with one chunk has its text in that chunk."""
    if kind == _APPROVAL[1]:
        return [RecordResult(get_text(value, "approval_request_id"), "", ("reason",), plain=False)]
    call_id = get_text(value, "call_id") or (get_text(value, "id") if kind == "local_shell_call_output" else "")
    if not call_id or get_text(value, "execution") == "server":
        return []
    output = value.get("output")
    if kind in _FIXED_OUTPUTS:
        return [RecordResult(call_id, "", ("tools" if kind == "tool_search_output" else "output",), plain=False)]
    if kind == "shell_call_output" and isinstance(output, list):
        chunk = get_objects(output)[0] if len(output) == 1 and get_objects(output) else {}
        return [RecordResult(call_id, get_text(chunk, "stdout"), ("output", 0, "stdout"), plain=bool(chunk))]
    words = read_result_text(output)
    return [RecordResult(call_id, words, ("output",), failed=_has_failed(value, words), plain=is_plain_text(output))]


def _has_failed(value: dict[str, JsonValue], words: str) -> bool:
    """Return whether an output reports a failure: by a status, a flag, or the exit status of a command."""
    if get_text(value, "status") in ("failed", "incomplete") or get_object(value, "output").get("success") is False:
        return True
    if match := _EXIT.search(words[:_HEAD]):
        return int(match[1]) != 0
    if not (words.startswith("{") and '"exit_code"' in words):
        return False
    try:
        return bool(get_object(loads(words, strict=False), "metadata").get("exit_code"))
    except (ValueError, RecursionError):
        return False


def make_output(call: RecordCall, words: str) -> dict[str, JsonValue]:
    """Return the result item of a call of any type."""
    kind = "custom_tool_call" if call.place == ("input",) else "function_call"
    id_member = {"call_id": call.id}
    if call.name == "local_shell_call":
        return {"type": "local_shell_call_output", "id": call.id, **id_member, "output": words}
    if call.name == "shell_call":
        chunk = {"stdout": words, "stderr": "", "outcome": {"type": "timeout"}}
        return {"type": "shell_call_output", **id_member, "output": [chunk]}
    if call.name == "apply_patch_call":
        return {"type": "apply_patch_call_output", **id_member, "status": "failed", "output": words}
    if call.name == "computer_call":
        return {"type": "computer_call_output", **id_member, "output": {"type": "computer_screenshot"}}
    if call.name == "tool_search_call":
        return {"type": "tool_search_output", **id_member, "execution": "client", "status": "completed", "tools": []}
    if call.name == _APPROVAL[0]:
        return {"type": _APPROVAL[1], "approval_request_id": call.id, "approve": False, "reason": words}
    return {"type": f"{kind}_output", **id_member, "output": words}


def make_item(words: str, role: str) -> dict[str, JsonValue]:
    """Return a message with one text."""
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}
