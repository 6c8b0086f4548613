"""Conversations in forms that ctxkit does not read, so that an error can name them."""

from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.text.json_value import JsonValue


class UnreadFormat(NamedTuple):
    """What a value is, and how ctxkit gets its conversation nevertheless; the hint is empty if there is no way."""

    name: str
    hint: str = ""


_STREAM = UnreadFormat(
    "the stream of Gemini CLI's --output-format stream-json", "ctxkit reads the session, in ~/.gemini/tmp/*/chats"
)
_CONTINUE = UnreadFormat(
    "a session of Continue", "pass its messages, without tools: jq '[.history[].message | {role, content}]' FILE"
)
_VS_CODE = UnreadFormat("an exported chat of VS Code Copilot")
_VS_CODE_LOG = UnreadFormat("a chat session of VS Code, as a log of its changes")
_ANTIGRAVITY = UnreadFormat("a transcript of Antigravity")
_WASA = UnreadFormat("a transcript of wasa", "ctxkit reads the session in it: jq -c .raw FILE")
_WASA_KEYS = {"role", "content", "timestamp", "raw"}
_OPENCLAW = UnreadFormat("a trajectory of OpenClaw", "ctxkit reads the session beside it: SESSION.jsonl")
_OH_MY_OPENCODE = UnreadFormat(
    "a transcript of oh-my-opencode, without the words of the model", "ctxkit reads: opencode export SESSION"
)
_CLAUDE_AI = UnreadFormat(
    "an export of Claude.ai",
    "pass the texts of a chat: jq '[(.[0]? // .).chat_messages[] | {role: .sender, content: .text}]' FILE",
)
_TAU2 = UnreadFormat("a file of tau2-bench results", "pass one simulation: jq '.simulations[0]' FILE")
_HERMES = UnreadFormat("a request dump of Hermes", "pass the request in it: jq .request.body FILE")
_ENTIRE = UnreadFormat("a compact transcript of Entire", "ctxkit reads the session beside it: full.jsonl")
_MANAGED_AGENTS = UnreadFormat("a log of Claude Managed Agents")
_KEYS_BY_TYPE: dict[str, Sequence[tuple[set[str], UnreadFormat]]] = {
    "init": [({"session_id", "model", "timestamp"}, _STREAM)],
    "tool_use": [({"tool_name", "tool_id", "parameters"}, _STREAM), ({"tool_name", "tool_input"}, _OH_MY_OPENCODE)],
    "tool_result": [
        ({"tool_id", "status", "timestamp"}, _STREAM),
        ({"tool_name", "tool_input", "tool_output"}, _OH_MY_OPENCODE),
    ],
}
"""Members of events in logs that no session has, by the type of the event."""


def find_unread_format(values: Sequence[JsonValue]) -> UnreadFormat | None:
    """Return the format of the first value that ctxkit is known not to read, None if there is none."""
    return next((format_ for value in values if (format_ := _find_format_of(value))), None)


def _find_format_of(value: JsonValue) -> UnreadFormat | None:
    if isinstance(value, list):
        return _CLAUDE_AI if _is_claude_ai_chat(next(iter(value), None)) else None
    if not isinstance(value, dict):
        return None
    return _find_log(value) or _find_document(value)


def _find_log(value: dict[str, JsonValue]) -> UnreadFormat | None:
    """Return the format of a line of a log, None if it is not known."""
    keys = value.keys()
    for event_keys, event_format in _KEYS_BY_TYPE.get(get_text(value, "type"), ()):
        if event_keys <= keys:
            return event_format
    if _is_managed_event(value) or _is_managed_event(get_object(value, "raw")):
        return _MANAGED_AGENTS
    if {"role", "content", "raw"} <= keys <= _WASA_KEYS and _is_session_line(value["raw"]):
        return _WASA
    if get_text(value, "traceSchema") == "openclaw-trajectory":
        return _OPENCLAW
    if value.get("v") == 1 and {"agent", "cli_version", "type", "ts", "content"} <= keys:
        return _ENTIRE
    if keys == {"kind", "v"} and "responderUsername" in get_object(value, "v"):
        return _VS_CODE_LOG
    return _ANTIGRAVITY if {"step_index", "source", "type"} <= keys else None


def _find_document(value: dict[str, JsonValue]) -> UnreadFormat | None:
    """Return the format of a document, None if it is not known."""
    if any("contextItems" in item and get_object(item, "message") for item in get_objects(value, "history")[:1]):
        return _CONTINUE
    if "responderUsername" in value and get_objects(value, "requests"):
        return _VS_CODE
    if get_objects(get_object(get_object(value, "request"), "body"), "messages") and "reason" in value:
        return _HERMES
    if "tasks" in value and any("messages" in item for item in get_objects(value, "simulations")[:1]):
        return _TAU2
    return _CLAUDE_AI if _is_claude_ai_chat(value) else None


def _is_claude_ai_chat(value: JsonValue) -> bool:
    return isinstance(value, dict) and "uuid" in value and isinstance(value.get("chat_messages"), list)


def _is_session_line(value: JsonValue) -> bool:
    """Return whether a value has a type as lines of sessions do, and is not an answer of a provider."""
    return bool(get_text(value, "type")) and "role" not in value


def _is_managed_event(value: dict[str, JsonValue]) -> bool:
    """Return whether a value is an event of a session of Claude Managed Agents, by the form of its identifier."""
    return get_text(value, "id").startswith("sevt_") and "." in get_text(value, "type")
