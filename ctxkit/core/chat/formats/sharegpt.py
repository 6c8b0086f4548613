"""ShareGPT: conversations of ``from`` and ``value``, as in fine-tuning data sets."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules
from ctxkit.core.chat.editing import attach_entry as attach_entry
from ctxkit.core.chat.editing import make_id as make_id
from ctxkit.core.chat.editing import make_result_value as make_result_value
from ctxkit.core.chat.editing import patch_parent as patch_parent
from ctxkit.core.chat.editing import wrap_results as wrap_results
from ctxkit.core.chat.model.calls_and_results import (
    CALL_TAG,
    RESPONSE_TAG,
    find_tagged,
    parse_arguments,
    parse_call,
    parse_response,
)
from ctxkit.core.chat.model.json_fields import get_objects, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    ConversationStart,
    MessagePart,
    Place,
    RecordCall,
    RecordContent,
    RecordPassage,
    RecordResult,
    Role,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "sharegpt", "", True
RULES = ApiRules("near", has_call_ids=False)
_ROLES_BY_NAME: dict[str, Role] = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "assistant": "assistant",
    "chatgpt": "assistant",
    "system": "system",
    "tool": "tool",
    "observation": "tool",
    "function_call": "assistant",
}
_KEYS = ("conversations", "conversation")


def _is_message(value: JsonValue) -> bool:
    return get_text(value, "from") in _ROLES_BY_NAME and isinstance(value.get("value"), str)


def _get_messages(value: JsonValue) -> list[dict[str, JsonValue]]:
    return next((messages for key in _KEYS if (messages := get_objects(value, key))), [])


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a conversation, a list of conversations, a message, or a list of messages."""
    if isinstance(value, list):
        return bool(value) and (all(map(_is_message, value)) or all(map(is_format_of, value)))
    return _is_message(value) or (bool(_get_messages(value)) and all(map(_is_message, _get_messages(value))))


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the messages of each conversation, or one message; raise ValueError if there is none."""
    if _is_message(value):
        yield _read_message(value)
        return
    if isinstance(value, list) and not all(map(_is_message, value)):
        for conversation in value:
            yield from read_entries(conversation)
        return
    messages = value if isinstance(value, list) else _get_messages(value)
    if not messages and not (isinstance(value, dict) and get_text(value, "system")):
        raise ValueError("not a conversation: it has no messages")
    yield ConversationStart()
    if isinstance(value, dict) and (words := get_text(value, "system")):
        yield ChatMessage("system", (MessagePart("text", words),))
    yield from map(_read_message, messages)


def _read_message(value: dict[str, JsonValue]) -> ChatMessage:
    speaker = get_text(value, "from")
    kind = {"tool": "result", "observation": "result", "function_call": "call"}.get(speaker, "text")
    return ChatMessage(_ROLES_BY_NAME.get(speaker, speaker or "user"), (MessagePart(kind, get_text(value, "value")),))  # type: ignore[arg-type]


def find_entry_list(document: JsonValue) -> Place | None:
    """Return the place of the messages in a conversation; raise ValueError for several conversations."""
    if isinstance(document, list):
        if all(map(_is_message, document)):
            return ()
        if len(document) > 1:
            raise ValueError("it contains several conversations")
        return (0, *(find_entry_list(document[0]) or ()))
    key = next((key for key in _KEYS if isinstance(document, dict) and isinstance(document.get(key), list)), None)
    return (key,) if key else None


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a message; calls are between tags or fill the whole message."""
    speaker, words = get_text(value, "from"), get_text(value, "value")
    role, place = _ROLES_BY_NAME.get(speaker, "user"), ("value",)
    if role == "tool":
        return RecordContent(role, results=tuple(_read_results(words)))
    if speaker == "function_call":
        call = parse_arguments(words)
        name, arguments = get_text(call, "name"), call.get("arguments") if isinstance(call, dict) else call
        return RecordContent(role, calls=(RecordCall("", name, parse_arguments(arguments), place),))
    calls = (
        tuple(RecordCall("", *parse_call(element.text), place) for element in find_tagged(words, CALL_TAG))
        if role == "assistant"
        else ()
    )
    return RecordContent(role, calls=calls, passages=() if calls or not words else (RecordPassage(words, place),))


def _read_results(words: str) -> Iterator[RecordResult]:
    """Yield the results in a message; the first one has the whole text, which can only be replaced as a whole."""
    names = [parse_response(element.text)[0] for element in find_tagged(words, RESPONSE_TAG)] or [""]
    for at, name in enumerate(names):
        yield RecordResult("", "" if at else words, ("value",), name, plain=not at)


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result message of a call."""
    del call
    return {"from": "tool", "value": words}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary message."""
    del key, parent, neighbor
    return ({"from": "system" if role == "system" else "human", "value": words},)
