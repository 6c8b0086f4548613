"""Items of OpenAI's Responses API, which Codex keeps too: what each kind says, calls and answers."""

import re
from json import loads
from typing import Any

from ctxkit.core.chat.record import SYSTEM_ROLES, Anatomy, Call, Result, Role
from ctxkit.core.chat.shape import mapping, objects, text
from ctxkit.core.chat.units import given, passages_in, plain, said

SEALED = ("compaction", "compaction_summary", "item_reference")
"""Kinds that only the provider can read."""
GIVEN = ("arguments", "input", "action", "operation")
"""Members that hold what a call is given: of functions, custom tools, shells and computers, and patches."""
_SERVED = ("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call")
"""Calls that the provider itself runs."""
_APPROVAL = ("mcp_approval_request", "mcp_approval_response")
_NEITHER = ("tool_search_output", "computer_call_output")
"""Outputs that cannot be replaced by words: tools that were found, and pictures."""
_EXIT = re.compile(r"^(?:Exit code: |Process exited with code |\(?exit(?:ed)? (?:code|with) )(-?\d+)", re.MULTILINE)
_HEAD = 400
"""Characters in which Codex states the exit status, before what the command printed."""


def is_output(kind: str) -> bool:
    """Tell whether items of a kind answer a call."""
    return kind.endswith("_call_output") or kind == "tool_search_output"


def is_item(value: Any) -> bool:
    """Tell whether a value is an item that Chat Completions has not."""
    kind = text(value, "type")
    if kind == "message":
        return isinstance(value.get("role"), str) and "content" in value
    if kind == "reasoning":
        return "summary" in value or "encrypted_content" in value
    if kind.endswith("_call") or is_output(kind) or kind in _APPROVAL:
        return any(key in value for key in ("call_id", "id", "approval_request_id"))
    return kind in SEALED and ("encrypted_content" in value or "id" in value)


def anatomy(value: dict[str, Any]) -> Anatomy:
    """Return what an item says, calls and answers."""
    kind = text(value, "type")
    if is_output(kind) or kind == _APPROVAL[1]:
        return Anatomy("tool", results=tuple(_results(value, kind)))
    if kind.endswith("_call") or kind == _APPROVAL[0]:
        return Anatomy("assistant", calls=(_call(value, kind),))
    if kind == "reasoning":
        return Anatomy("assistant", thinks=True)
    sealed = kind in SEALED or _is_sealed(value)
    words = () if sealed else tuple(passages_in(value.get("content"), ("content",)))
    return Anatomy(_role(value), passages=words, sealed=sealed)


def _is_sealed(value: dict[str, Any]) -> bool:
    """Tell whether an item, or a block of its content, is encrypted."""
    return any(text(held, "encrypted_content") for held in (value, *objects(value, "content")))


def _role(value: dict[str, Any]) -> Role:
    role = text(value, "role")
    return "system" if role in SYSTEM_ROLES else "user" if role == "user" else "tool" if role == "tool" else "assistant"


def _call(value: dict[str, Any], kind: str) -> Call:
    """Return a call; what the provider runs has no ``call_id``, and a search for tools says who ran it."""
    known = text(value, "call_id")
    shell = kind == "local_shell_call" or kind == _APPROVAL[0]
    served = kind in _SERVED or (not known and not shell) or text(value, "execution") == "server"
    key = next((key for key in GIVEN if key in value), "")
    name = text(value, "name") if kind != _APPROVAL[0] else ""
    return Call(known or text(value, "id"), name or kind, given(value.get(key)), (key,) if key else (), settled=served)


def _results(value: dict[str, Any], kind: str) -> list[Result]:
    """Return what an output holds: the text of a shell's stands in its only chunk."""
    if kind == _APPROVAL[1]:
        return [Result(text(value, "approval_request_id"), "", ("reason",), plain=False)]
    known = text(value, "call_id") or (text(value, "id") if kind == "local_shell_call_output" else "")
    if not known or text(value, "execution") == "server":
        return []
    output = value.get("output")
    if kind in _NEITHER:
        return [Result(known, "", ("tools" if kind == "tool_search_output" else "output",), plain=False)]
    if kind == "shell_call_output" and isinstance(output, list):
        chunk = objects(output)[0] if len(output) == 1 and objects(output) else {}
        return [Result(known, text(chunk, "stdout"), ("output", 0, "stdout"), plain=bool(chunk))]
    words = said(output)
    return [Result(known, words, ("output",), failed=_failed(value, words), plain=plain(output))]


def _failed(value: dict[str, Any], words: str) -> bool:
    """Tell whether an output says that its call went wrong: by a status, a flag, or the exit status of a command."""
    if text(value, "status") in ("failed", "incomplete") or mapping(value, "output").get("success") is False:
        return True
    if found := _EXIT.search(words[:_HEAD]):
        return int(found[1]) != 0
    if not (words.startswith("{") and '"exit_code"' in words):
        return False
    try:
        return bool(mapping(loads(words, strict=False), "metadata").get("exit_code"))
    except (ValueError, RecursionError):
        return False


def answer(call: Call, words: str) -> dict[str, Any]:
    """Return the item that answers a call of any kind."""
    kind = "custom_tool_call" if call.place == ("input",) else "function_call"
    known = {"call_id": call.id}
    if call.name == "local_shell_call":
        return {"type": "local_shell_call_output", "id": call.id, **known, "output": words}
    if call.name == "shell_call":
        chunk = {"stdout": words, "stderr": "", "outcome": {"type": "timeout"}}
        return {"type": "shell_call_output", **known, "output": [chunk]}
    if call.name == "apply_patch_call":
        return {"type": "apply_patch_call_output", **known, "status": "failed", "output": words}
    if call.name == "computer_call":
        return {"type": "computer_call_output", **known, "output": {"type": "computer_screenshot"}}
    if call.name == "tool_search_call":
        return {"type": "tool_search_output", **known, "execution": "client", "status": "completed", "tools": []}
    if call.name == _APPROVAL[0]:
        return {"type": _APPROVAL[1], "approval_request_id": call.id, "approve": False, "reason": words}
    return {"type": f"{kind}_output", **known, "output": words}


def message(words: str, role: str) -> dict[str, Any]:
    """Return a message of one text."""
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": words}]}
