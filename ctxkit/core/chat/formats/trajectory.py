"""SWE-agent trajectories, and other files with messages under ``history``."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.formats.openai import make_result_value as make_result_value
from ctxkit.core.chat.formats.openai import wrap_results as wrap_results
from ctxkit.core.chat.model.calls_and_results import is_message_list, read_message
from ctxkit.core.chat.model.json_fields import get_objects, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    ConversationStart,
    MessagePart,
    Place,
    RecordCall,
    RecordContent,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "swe-agent", "", True
RULES = ApiRules("near")
_IDS_KEY = "tool_call_ids"
_SHARED_KEYS = ("agent",)
"""Members that all messages of a history share."""


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value has a history of messages with any roles."""
    return isinstance(value, dict) and is_message_list(value.get("history"), known_role=False)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the messages of a history, or one message; raise ValueError if there is none."""
    if get_text(value, "role") and "history" not in value:
        yield _read_message(value)
        return
    if not isinstance(value, dict) or not (is_format_of(value) or value.get("history") == []):
        raise ValueError("not a trajectory: it has no history of messages")
    yield ConversationStart()
    history = get_objects(value, "history")
    if (words := get_text(value, "system_prompt")) and not (history and get_text(history[0], "role") == "system"):
        yield ChatMessage("system", (MessagePart("text", words),))
    yield from map(_read_message, history)


def _read_message(value: dict[str, JsonValue]) -> ChatMessage:
    message = read_message(value)
    return (
        message._replace(answers=_list_call_ids(value)) if not message.answers and message.role == "tool" else message
    )


def _list_call_ids(value: dict[str, JsonValue]) -> tuple[str, ...]:
    ids = value.get(_IDS_KEY)
    return tuple(id_ for id_ in ids if isinstance(id_, str)) if isinstance(ids, list) else ()


def find_entry_list(document: JsonValue) -> Place | None:
    """Return the place of the messages in a trajectory."""
    return ("history",) if isinstance(document, dict) and isinstance(document.get("history"), list) else None


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a message; SWE-agent lists the ids of the answered calls."""
    content = openai.read_content(value)
    role = get_text(value, "role")
    if role not in openai.ROLES_BY_NAME:
        return content._replace(role="assistant")
    ids = _list_call_ids(value)
    if len(ids) == 1 and len(content.results) == 1 and not content.results[0].id:
        return content._replace(results=(content.results[0]._replace(id=ids[0]),))
    return content


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result message of a call."""
    message: dict[str, JsonValue] = openai.make_result(call, words)
    return {**message, _IDS_KEY: [call.id]} if call.id else message


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary message."""
    del key, parent
    shared = {name: neighbor[name] for name in _SHARED_KEYS if get_text(neighbor, name)}
    return ({"role": role, "content": words, **shared},)
