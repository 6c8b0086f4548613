"""Items of OpenAI's Responses API, also used by Codex: the content of each type."""

import re
from json import loads

from ctxkit.core.chat.model.calls_and_results import find_passages, is_plain_text, parse_arguments, read_result_text
from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.chat.model.message import SYSTEM_ROLES, RecordCall, RecordContent, RecordResult, Role
from ctxkit.core.text.json_value import JsonValue

ENCRYPTED_KINDS = ("compaction", "compaction_summary", "item_reference")
"""Types of items that only the provider can read."""
ARGUMENT_KEYS = ("arguments", "input", "action", "operation", "code", "queries")
"""Members with the input of a call: functions, custom tools, shells and computers, patches, hosted tools."""
_PROVIDER_CALLS = ("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call")
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
    return kind in ENCRYPTED_KINDS and ("encrypted_content" in value or "id" in value)


def read_content(value: dict[str, JsonValue]) -> RecordContent:
    """Return the role, calls, results and passages of an item."""
    kind = get_text(value, "type")
    if is_output(kind) or kind == _APPROVAL[1]:
        return RecordContent("tool", results=tuple(_read_results(value, kind)))
    if kind.endswith("_call") or kind == _APPROVAL[0]:
        return RecordContent("assistant", calls=(_read_call(value, kind),))
    if kind == "reasoning":
        return RecordContent("assistant", has_reasoning=True)
    encrypted = kind in ENCRYPTED_KINDS or _is_encrypted(value)
    words = () if encrypted else tuple(find_passages(value.get("content"), ("content",)))
    return RecordContent(_read_role(value), passages=words, encrypted=encrypted)


def _is_encrypted(value: dict[str, JsonValue]) -> bool:
    """Return whether an item, or a block of its content, is encrypted."""
    return any(get_text(element, "encrypted_content") for element in (value, *get_objects(value, "content")))


def _read_role(value: dict[str, JsonValue]) -> Role:
    role = get_text(value, "role")
    return "system" if role in SYSTEM_ROLES else "user" if role == "user" else "tool" if role == "tool" else "assistant"


def _read_call(value: dict[str, JsonValue], kind: str) -> RecordCall:
    """Return a call; a call that the provider runs has no ``call_id``, and a tool search names its executor."""
    call_id = get_text(value, "call_id")
    shell = kind == "local_shell_call" or kind == _APPROVAL[0]
    by_provider = kind in _PROVIDER_CALLS or (not call_id and not shell) or get_text(value, "execution") == "server"
    key = next((key for key in ARGUMENT_KEYS if key in value), "")
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


def make_result(call: RecordCall, words: str) -> dict[str, JsonValue]:
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


def make_message(words: str, role: str) -> dict[str, JsonValue]:
    """Return a message with one text."""
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}
