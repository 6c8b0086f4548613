"""nanobot sessions: metadata, then OpenAI messages, one per line.

nanobot moves old messages to the files of its memory without removing their lines: the metadata counts them. It sends
the other messages, from the first one of the user on.
"""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import find_entry_list as find_entry_list
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.formats import openai
from ctxkit.core.chat.formats.openai import make_result_value as make_result_value
from ctxkit.core.chat.formats.openai import wrap_results as wrap_results
from ctxkit.core.chat.model.calls_and_results import read_message
from ctxkit.core.chat.model.json_fields import get_number, get_text
from ctxkit.core.chat.model.message import ArchivedMessages, ChatEntry, RecordCall, RecordContent
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "nanobot", "", True
RULES = ApiRules("near", summary_role="user")
_KEYS = ("key", "created_at", "last_consolidated")
"""Members of the metadata, at least one of which every version writes."""
_TIME = "timestamp"


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is the metadata of a session."""
    return get_text(value, "_type") == "metadata" and any(key in value for key in _KEYS)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the message of a line, or the messages that are no longer sent; raise ValueError if it is neither."""
    if is_format_of(value):
        if number := get_number(value, "last_consolidated"):
            yield ArchivedMessages(number)
    elif isinstance(value, dict) and get_text(value, "role"):
        yield read_message(value)
    else:
        raise ValueError("not a message: it has no role")


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a line."""
    return RecordContent(kind="head") if is_format_of(value) else openai.read_content(value)


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result message of a call, with the name of the tool as nanobot writes it."""
    message: dict[str, JsonValue] = openai.make_result(call, words)
    return {**message, "name": call.name}


def attach_entry(value: JsonValue, key: str, parent: str | None, neighbor: JsonValue) -> JsonValue:
    """Return a message with the time of the next message."""
    del key, parent
    return {**value, _TIME: time} if (time := get_text(neighbor, _TIME)) else value


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary message, with the role "user": nanobot sends no message before the first of the user."""
    del role
    return (attach_entry({"role": "user", "content": words}, key, parent, neighbor),)
