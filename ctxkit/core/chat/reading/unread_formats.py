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
_ANTIGRAVITY = UnreadFormat("a transcript of Antigravity")
_WASA = UnreadFormat("a transcript of wasa", "ctxkit reads the session in it: jq -c .raw FILE")
_WASA_KEYS = {"role", "content", "timestamp", "raw"}
_EVENT_KEYS = {
    "init": {"session_id", "model", "timestamp"},
    "tool_use": {"tool_name", "tool_id", "parameters"},
    "tool_result": {"tool_id", "status", "timestamp"},
}
"""Members of events in the stream of Gemini CLI that no session has, by the type of the event."""


def find_unread_format(values: Sequence[JsonValue]) -> UnreadFormat | None:
    """Return the format of the first value that ctxkit is known not to read, None if there is none."""
    return next((format_ for value in values if (format_ := _find_format_of(value))), None)


def _find_format_of(value: JsonValue) -> UnreadFormat | None:
    if not isinstance(value, dict):
        return None
    keys = value.keys()
    if (event_keys := _EVENT_KEYS.get(get_text(value, "type"))) and event_keys <= keys:
        return _STREAM
    if any("contextItems" in item and get_object(item, "message") for item in get_objects(value, "history")[:1]):
        return _CONTINUE
    if "responderUsername" in keys and get_objects(value, "requests"):
        return _VS_CODE
    if {"role", "content", "raw"} <= keys <= _WASA_KEYS and _is_session_line(value["raw"]):
        return _WASA
    return _ANTIGRAVITY if {"step_index", "source", "type"} <= keys else None


def _is_session_line(value: JsonValue) -> bool:
    """Return whether a value has a type as lines of sessions do, and is not an answer of a provider."""
    return bool(get_text(value, "type")) and "role" not in value
