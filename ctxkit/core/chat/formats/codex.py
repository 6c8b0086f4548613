"""Codex CLI rollouts: items of the Responses API, one per line, among events."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import find_entry_list as find_entry_list
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.formats import responses
from ctxkit.core.chat.formats.responses import make_result_value as make_result_value
from ctxkit.core.chat.formats.responses import wrap_results as wrap_results
from ctxkit.core.chat.model.calls_and_results import enumerate_blocks
from ctxkit.core.chat.model.json_fields import get_number, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    EntryLink,
    MessagePart,
    Place,
    RecordCall,
    RecordContent,
    RecordPassage,
    Rewind,
    UsageReceipt,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "codex", "openai", False
RULES = ApiRules("any", loops_are_atomic=True, summary_role="user")
TIME = "1970-01-01T00:00:00.000Z"
"""Default time of a new line: every line must have a time."""
_SNAPSHOT = "ghost_snapshot"
"""Type of an item for internal use in Codex, which names the commit that undo restores."""
_HISTORY = ("payload", "replacement_history")
_INSTRUCTIONS = EntryLink("", series="instructions", is_first_sent=True)
_TYPES = ("session_meta", "response_item", "compacted", "turn_context", "event_msg")


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a line of a rollout."""
    return get_text(value, "type") in _TYPES and isinstance(value.get("payload"), dict)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the changes that a line makes to the history; raise ValueError if the value is not an object.

    A compaction replaces everything before it. Events repeat items, except for a rollback. Each resume writes the
    metadata of the session again; Codex sends the instructions of the first that has any.
    """
    if not isinstance(value, dict):
        raise ValueError("not a rollout entry")
    kind, payload = get_text(value, "type"), get_object(value, "payload")
    if kind == "response_item":
        if get_text(payload, "type") != _SNAPSHOT:
            yield responses.read_item(payload)
    elif kind == "session_meta":
        yield from _read_instructions(payload)
    elif kind == "compacted":
        yield Rewind()
        history = [item for item in get_objects(payload, _HISTORY[1]) if get_text(item, "type") != _SNAPSHOT]
        yield from map(responses.read_item, history)
        if not history and (words := get_text(payload, "message")):
            yield ChatMessage("user", (MessagePart("text", words),))
    elif get_text(payload, "type") == "thread_rolled_back":
        turns = payload.get("num_turns")
        yield Rewind(turns if isinstance(turns, int) else 1)


def _read_instructions(payload: dict[str, JsonValue]) -> Iterator[ChatEntry]:
    words = get_text(get_object(payload, "base_instructions"), "text") or get_text(payload, "instructions")
    if words:
        yield ChatMessage("system", (MessagePart("text", words),), link=_INSTRUCTIONS)


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a line; a compaction contains its whole replacement history."""
    kind, payload = get_text(value, "type"), get_object(value, "payload")
    if kind == "response_item" and get_text(payload, "type") != _SNAPSHOT:
        return _nest_item(responses.read_item_content(payload), ("payload",))
    if kind == "session_meta":
        return RecordContent("system" if any(_read_instructions(payload)) else "", "head")
    if kind == "compacted":
        return _read_compaction(payload)
    return RecordContent(kind="note", receipt=_read_receipt(payload))


def _nest_item(content: RecordContent, place: Place, unit: Place = ()) -> RecordContent:
    """Return the content of an item with the places of the line that contains it at ``place``."""
    return content._replace(
        calls=tuple(
            element._replace(place=(*place, *element.place) if element.place else (), unit=unit)
            for element in content.calls
        ),
        results=tuple(element._replace(place=(*place, *element.place), unit=unit) for element in content.results),
        passages=tuple(RecordPassage(element.text, (*place, *element.place)) for element in content.passages),
    )


def _read_compaction(payload: dict[str, JsonValue]) -> RecordContent:
    places = [((*_HISTORY, at), item) for at, item in enumerate_blocks(payload.get(_HISTORY[1]))]
    contents = [
        _nest_item(responses.read_item_content(item), place, place)
        for place, item in places
        if get_text(item, "type") != _SNAPSHOT
    ]
    if not contents:
        words = get_text(payload, "message")
        return RecordContent(
            "user", "summary", passages=(RecordPassage(words, ("payload", "message")),) if words else ()
        )
    return RecordContent(
        *("user", "summary"),
        tuple(call for content in contents for call in content.calls),
        tuple(result for content in contents for result in content.results),
        tuple(passage for content in contents for passage in content.passages),
        any(content.encrypted for content in contents),
    )


def _read_receipt(payload: dict[str, JsonValue]) -> UsageReceipt | None:
    """Return the token usage of the last request; its input includes cached tokens."""
    last = get_object(get_object(payload, "info"), "last_token_usage")
    context = get_number(last, "input_tokens")
    return UsageReceipt(context, get_number(last, "output_tokens")) if context else None


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result line of a call; Codex stores the result of its local shell as a function result."""
    if call.name == "local_shell_call":
        return _make_line({"type": "function_call_output", "call_id": call.id, "output": words}, None)
    return _make_line(responses.make_output(call._replace(place=call.place[1:]), words), None)


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary line as a message, because a compaction would replace the kept entries before it."""
    del key, parent
    return (_make_line(responses.make_item(words, role), neighbor),)


def attach_entry(value: JsonValue, key: str, parent: str | None, neighbor: JsonValue) -> JsonValue:
    """Return a line with the time of the next line."""
    del key, parent
    return _make_line(get_object(value, "payload"), neighbor)


def _make_line(payload: dict[str, JsonValue], neighbor: JsonValue) -> dict[str, JsonValue]:
    return {"timestamp": get_text(neighbor, "timestamp") or TIME, "type": "response_item", "payload": payload}
