"""LangChain messages as LangChain dumps them: flat, under ``data``, or as the ``kwargs`` of a constructor."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.editing import wrap_results as wrap_results
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.formats.openai import make_result_value as make_result_value
from ctxkit.core.chat.model.calls_and_results import nest_content, read_message
from ctxkit.core.chat.model.json_fields import get_object, get_objects, get_text
from ctxkit.core.chat.model.message import ChatEntry, ConversationStart, Place, RecordCall, RecordContent
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "langchain", "", True
RULES = ApiRules("near")
_ROLES_BY_TYPE = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "function"}
"""Roles by LangChain's message types."""
_TYPES_BY_ROLE = {role: kind for kind, role in _ROLES_BY_TYPE.items()} | {"developer": "system"}
_KEYS = ("kwargs", "data")
_SUFFIXES = ("MessageChunk", "Message")


def _read_type(value: JsonValue) -> str:
    """Return the type of a message, from its class name if necessary; empty if the value is not a message."""
    name = get_text(value, "type")
    if name == "constructor" and get_object(value, "kwargs"):
        path = value.get("id")
        name = path[-1] if isinstance(path, list) and path and isinstance(path[-1], str) else ""
    elif not (get_object(value, "data") or "content" in value if isinstance(value, dict) else False):
        return ""
    name = next((name.removesuffix(end) for end in _SUFFIXES if name.endswith(end)), name).lower()
    return name if name in _ROLES_BY_TYPE else ""


def _find_body_key(value: JsonValue) -> str:
    """Return the key of the object that contains the members of a message, empty for a flat message."""
    return next((key for key in _KEYS if get_object(value, key)), "")


def _find_body_place(value: JsonValue) -> Place:
    return (key,) if (key := _find_body_key(value)) else ()


def _convert_message(value: JsonValue) -> dict[str, JsonValue]:
    """Return a message in OpenAI's form."""
    body: dict[str, JsonValue] = value[_find_body_key(value)] if _find_body_key(value) else value
    calls = body.get("tool_calls")
    return {**body, "role": _ROLES_BY_TYPE[_read_type(value)], "tool_calls": calls if isinstance(calls, list) else []}


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a state with messages, a list of messages, or a message."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = value["messages"]
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(map(_read_type, values))


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield messages; raise ValueError if a value is not a message."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        yield ConversationStart()
        value = get_objects(value, "messages")
    for message in value if isinstance(value, list) else [value]:
        if not _read_type(message):
            raise ValueError("not a message: its type is not known")
        yield read_message(_convert_message(message))


def find_entry_list(document: JsonValue) -> Place | None:
    """Return the place of the messages in a state."""
    if isinstance(document, list):
        return ()
    return ("messages",) if isinstance(document, dict) and isinstance(document.get("messages"), list) else None


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a message."""
    return nest_content(openai.read_content(_convert_message(value)), _find_body_place(value))


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result message of a call, nested like the message of the call."""
    outer = next((key for key in _KEYS if call.place[:1] == (key,)), "")
    return _make_message(
        outer, "tool", {"content": words, "tool_call_id": call.id, "name": call.name, "status": "error"}
    )


def _make_message(outer: str, kind: str, body: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if outer == "kwargs":
        path = ["langchain", "schema", "messages", {"ai": "AI"}.get(kind, kind.title()) + "Message"]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": {**body, "type": kind}}
    return {"type": kind, "data": {**body, "type": kind}} if outer else {**body, "type": kind}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary message."""
    del key, parent
    return (_make_message(_find_body_key(neighbor), _TYPES_BY_ROLE.get(role, "human"), {"content": words}),)
