"""Transcripts of Cursor's agent: one message per line, with Anthropic's blocks, and events between them.

Cursor writes a transcript as a copy for hooks and readers, in agent-transcripts/ID.jsonl: calls without ids, and no
results. It resumes from a database of its own.
"""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import find_entry_list as find_entry_list
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import make_result_value as make_result_value
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.model.calls_and_results import find_calls, find_passages, read_message
from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.chat.model.message import ChatEntry, Place, RecordCall, RecordContent
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "cursor", "", True
RULES = ApiRules("near", summary_role="user", has_call_ids=False)
_MESSAGE: Place = ("message", "content")


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a message of a transcript, which has neither a type nor an id."""
    if not isinstance(value, dict) or value.keys() != {"role", "message"}:
        return False
    message = get_object(value, "message")
    return get_text(value, "role") in ("user", "assistant") and _is_block_list(message) and "role" not in message


def _is_block_list(message: dict[str, JsonValue]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and all(isinstance(block, dict) for block in content)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the message of a line; raise ValueError if it is neither a message nor an event."""
    if _is_message(value):
        yield read_message({"role": get_text(value, "role"), "content": get_object(value, "message").get("content")})
    elif not get_text(value, "type"):
        raise ValueError("not a message: it has no role")


def _is_message(value: JsonValue) -> bool:
    return bool(get_text(value, "role")) and "content" in get_object(value, "message")


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls and passages of a line; an event, such as the end of a turn, is a note.

    Calls have no ids, so that no block is the result of a call.
    """
    if not _is_message(value):
        return RecordContent(kind="note")
    content = get_object(value, "message").get("content")
    return RecordContent(
        "assistant" if get_text(value, "role") == "assistant" else "user",
        "message",
        tuple(call._replace(needs_no_result=True) for call in find_calls(content, _MESSAGE)),
        passages=tuple(find_passages(content, _MESSAGE)),
    )


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result block of a call."""
    del call
    return {"type": "tool_result", "content": words}


def wrap_results(results: Sequence[JsonValue]) -> JsonValue | None:
    """Return the user message that contains the results."""
    return {"role": "user", "message": {"content": list(results)}}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary message, with the role "user": a transcript has no other but that of the model."""
    del role, key, parent, neighbor
    return ({"role": "user", "message": {"content": [{"type": "text", "text": words}]}},)
