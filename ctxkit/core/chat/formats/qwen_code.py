"""Qwen Code sessions: Gemini contents, one per line, linked as a tree."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing import ApiRules, find_copies
from ctxkit.core.chat.editing import find_entry_list as find_entry_list
from ctxkit.core.chat.formats import gemini
from ctxkit.core.chat.formats.claude_code import make_id as make_id
from ctxkit.core.chat.formats.claude_code import patch_parent as patch_parent
from ctxkit.core.chat.formats.gemini import make_result as make_result
from ctxkit.core.chat.formats.gemini import make_result_value as make_result_value
from ctxkit.core.chat.model.calls_and_results import enumerate_blocks, nest_content
from ctxkit.core.chat.model.json_fields import get_number, get_object, get_objects, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    EntryLink,
    KeptTail,
    RecordContent,
    RecordResult,
    UsageReceipt,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "qwen-code", "", False
RULES = ApiRules("near", user_opens=True, summary_role="user")
SHARED_KEYS = ("sessionId", "timestamp", "cwd", "version", "gitBranch", "agentId", "agentName", "isSidechain")
"""Members that all lines of a session, or neighbouring lines, share."""
_TYPES = ("user", "assistant", "tool_result")
_UNSENT_SUBTYPES = ("realtime_message", "code_mode_tool_result")
"""Subtypes of lines whose message is not sent to the model."""
_PROGRAM_SUBTYPES = ("notification", "cron", "background_task_completed")
"""Subtypes of lines that the program writes with the role of the user."""
_HISTORY = ("systemPayload", "compressedHistory")


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value is a line of a session with a content."""
    linked = bool(get_text(value, "uuid")) and "parentUuid" in value
    return linked and (_is_message(value) or bool(_get_compressed_history(value)))


def _is_message(value: JsonValue) -> bool:
    typed = get_text(value, "type") in _TYPES and get_text(value, "subtype") not in _UNSENT_SUBTYPES
    return typed and isinstance(get_object(value, "message").get("parts"), list)


def _get_compressed_history(value: JsonValue) -> list[dict[str, JsonValue]]:
    """Return the contents that a compression put in place of all earlier lines."""
    return (
        get_objects(get_object(value, _HISTORY[0]), _HISTORY[1])
        if get_text(value, "subtype") == "chat_compression"
        else []
    )


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the messages of a line, or its link; raise ValueError if the value is not an object."""
    if not isinstance(value, dict):
        raise ValueError("not a session entry")
    side = value.get("isSidechain") is True
    link = EntryLink(get_text(value, "uuid"), get_text(value, "parentUuid"), is_sidechain=side, is_tip=True)
    history = _get_compressed_history(value)
    if history:
        yield from _read_history(history, link)
    elif _is_message(value):
        yield _read_message(value["message"], link)
    elif link.id:
        yield link


def _read_message(content: dict[str, JsonValue], link: EntryLink) -> ChatMessage:
    message = next(entry for entry in gemini.read_entries([_fill_content(content)]) if isinstance(entry, ChatMessage))
    parts = [
        part for key in ("functionCall", "functionResponse") for part in get_objects(content, "parts") if key in part
    ]
    call_ids = tuple(get_text(part["functionCall"], "id") for part in parts if get_object(part, "functionCall"))
    result_ids = tuple(
        get_text(part["functionResponse"], "id") for part in parts if get_object(part, "functionResponse")
    )
    return message._replace(link=link, calls=tuple(filter(None, call_ids)), answers=tuple(filter(None, result_ids)))


def _fill_content(content: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a content with only its role and parts, and at least one part, as Gemini requires."""
    return {"role": get_text(content, "role"), "parts": get_objects(content, "parts") or [{"text": ""}]}


def _read_history(history: Sequence[dict[str, JsonValue]], link: EntryLink) -> Iterator[ChatMessage]:
    """Yield the contents of a compression; the first one has the link of the line."""
    for at, content in enumerate(history):
        if at:
            yield _read_message(content, EntryLink("", group=link.id, is_sidechain=link.is_sidechain, is_tip=True))
        else:
            yield _read_message(content, link._replace(group=link.id))._replace(kept=KeptTail())


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a line; a compression contains its whole replacement history."""
    if _get_compressed_history(value):
        return _read_compression(value)
    if not _is_message(value):
        return RecordContent(kind="note")
    content, kind = (
        nest_content(gemini.read_content(_strip_content(value["message"])), ("message",)),
        get_text(value, "type"),
    )
    return content._replace(
        role="assistant" if kind == "assistant" else "user",
        results=tuple(_add_copies(value, result) for result in content.results),
        receipt=_read_receipt(get_object(value, "usageMetadata")),
        automatic=get_text(value, "subtype") in _PROGRAM_SUBTYPES,
    )


def _add_copies(value: dict[str, JsonValue], result: RecordResult) -> RecordResult:
    return result._replace(copies=find_copies(value.get("toolCallResult"), result.text, ("toolCallResult",)))


def _strip_content(content: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"role": get_text(content, "role"), "parts": content.get("parts")}


def _read_compression(value: dict[str, JsonValue]) -> RecordContent:
    places = [((*_HISTORY, at), content) for at, content in enumerate_blocks(value[_HISTORY[0]][_HISTORY[1]])]
    contents = [nest_content(gemini.read_content(_strip_content(content)), place) for place, content in places]
    return RecordContent(
        *("user", "summary"),
        tuple(call for content in contents for call in content.calls),
        tuple(result for content in contents for result in content.results),
        tuple(passage for content in contents for passage in content.passages),
        automatic=True,
    )


def _read_receipt(usage: dict[str, JsonValue]) -> UsageReceipt | None:
    """Return the token usage of a request, None if unknown; its input includes cached tokens."""
    context, output = get_number(usage, "promptTokenCount"), get_number(usage, "candidatesTokenCount")
    return UsageReceipt(context, output + get_number(usage, "thoughtsTokenCount")) if context else None


def wrap_results(results: Sequence[JsonValue]) -> JsonValue | None:
    """Return the line that contains results; ``attach_entry`` links it to the session."""
    return {"type": "tool_result", "message": gemini.wrap_results(results)}


def attach_entry(value: JsonValue, key: str, parent: str | None, neighbor: JsonValue) -> JsonValue:
    """Return a line with its id, its parent and the shared members."""
    shared = {name: neighbor[name] for name in SHARED_KEYS if name in neighbor} if isinstance(neighbor, dict) else {}
    return {"uuid": make_id(key), "parentUuid": parent, **shared, **value}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary line, a user message."""
    del role
    message = {"role": "user", "parts": [{"text": words}]}
    return (attach_entry({"type": "user", "message": message}, key, parent, neighbor),)
