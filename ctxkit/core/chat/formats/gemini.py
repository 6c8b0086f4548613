"""Gemini: a request, a list of contents, one content per line, or a Gemini CLI session."""

from collections.abc import Iterator, Sequence

from ctxkit.core.chat.editing.editable_format import ApiRules
from ctxkit.core.chat.editing.editable_format import attach_entry as attach_entry
from ctxkit.core.chat.editing.editable_format import make_id as make_id
from ctxkit.core.chat.editing.editable_format import patch_parent as patch_parent
from ctxkit.core.chat.formats import gemini_cli
from ctxkit.core.chat.formats.gemini_cli import read_gemini_parts, read_part_call, read_part_result
from ctxkit.core.chat.model.blocks import read_parts
from ctxkit.core.chat.model.calls_and_results import enumerate_blocks, find_passages, read_toolset
from ctxkit.core.chat.model.json_fields import get_objects, get_text
from ctxkit.core.chat.model.message import (
    ChatEntry,
    ChatMessage,
    ConversationStart,
    Place,
    RecordCall,
    RecordContent,
    RecordPassage,
    RecordResult,
)
from ctxkit.core.text.json_value import JsonValue

NAME, PROVIDER, LINEAR = "gemini", "google", False
RULES = ApiRules("next", user_opens=True, summary_role="user", has_call_ids=False)

_MEMBERS, _OTHER_MEMBERS = {"role", "parts"}, {"content", "contents", "type", "id"}
"""Members of a content, and those that only a request or a message of a session has."""


def _is_content(value: JsonValue) -> bool:
    return isinstance(value, dict) and bool(get_objects(value, "parts")) and set(value) <= {"role", "parts"}


def is_format_of(value: JsonValue) -> bool:
    """Return whether a value has contents with parts, or is a session or a line of one."""
    if isinstance(value, list):
        return (bool(value) and all(map(_is_content, value))) or gemini_cli.is_log(value)
    return _is_content(value) or any(map(_is_content, get_objects(value, "contents"))) or gemini_cli.is_format_of(value)


def read_entries(value: JsonValue) -> Iterator[ChatEntry]:
    """Yield the system instruction, the tools and the contents; raise ValueError if there are none."""
    if isinstance(value, list):
        for content in value:
            yield from read_entries(content)
    elif _is_message(value):
        yield _read_message(value)
    elif isinstance(value, dict) and "contents" in value and not gemini_cli.is_session(value):
        yield from _read_request(value)
    else:
        yield from gemini_cli.read_entries(value)


def _read_request(value: dict[str, JsonValue]) -> Iterator[ChatEntry]:
    yield ConversationStart()
    if toolset := read_toolset(value):
        yield toolset
    system = value.get("systemInstruction", value.get("system_instruction"))
    words = tuple(read_gemini_parts(system)) if isinstance(system, dict) else tuple(read_parts(system))
    if words:
        yield ChatMessage("system", words)
    contents = value["contents"]
    if isinstance(contents, str):
        yield ChatMessage("user", tuple(read_parts(contents)))
    for content in contents if isinstance(contents, list) else ():
        yield from read_entries(content)


def _is_message(value: JsonValue) -> bool:
    """Return whether a value is a content: one without parts is of an answer that ended before it had any."""
    return isinstance(value, dict) and bool(_MEMBERS & value.keys()) and not _OTHER_MEMBERS & value.keys()


def _read_message(value: dict[str, JsonValue]) -> ChatMessage:
    return ChatMessage(get_text(value, "role") or "user", tuple(read_gemini_parts(value)))


def find_entry_list(document: JsonValue) -> Place | None:
    """Return the place of the contents in a request, or of the messages in a session."""
    if isinstance(document, list):
        return ()
    key = "messages" if gemini_cli.is_session(document) else "contents"
    return (key,) if isinstance(document, dict) and isinstance(document.get(key), list) else None


def read_content(value: JsonValue) -> RecordContent:
    """Return the role, calls, results and passages of a content or of a session message."""
    if _is_message(value):
        return _read_part_content(value)
    if "contents" in value:
        return RecordContent("user", passages=tuple(find_passages(value["contents"], ("contents",))))
    return gemini_cli.read_content(value)


def _read_part_content(value: dict[str, JsonValue]) -> RecordContent:
    parts = list(enumerate_blocks(value.get("parts")))
    return RecordContent(
        "assistant" if get_text(value, "role") == "model" else "user",
        calls=tuple(call for at, part in parts for call in read_part_call(part, ("parts", at))),
        results=tuple(result for at, part in parts for result in read_part_result(part, ("parts", at))),
        passages=tuple(RecordPassage(part["text"], ("parts", at, "text")) for at, part in parts if _is_editable(part)),
        has_reasoning=any(_is_signed(part) or part.get("thought") is True for _, part in parts),
    )


def _is_signed(part: dict[str, JsonValue]) -> bool:
    return "thoughtSignature" in part or "thought_signature" in part


def _is_editable(part: dict[str, JsonValue]) -> bool:
    """Return whether the text of a part may change: thoughts and signed parts may not."""
    return bool(get_text(part, "text")) and not _is_signed(part) and part.get("thought") is not True


def make_result_value(result: RecordResult, words: str) -> JsonValue:
    """Return the text of a result, as an object if it replaces an object."""
    return {"output": words} if result.place[-1] == "response" else words


def make_result(call: RecordCall, words: str) -> JsonValue:
    """Return the result part of a call."""
    id_member = {"id": call.id} if call.id else {}
    return {"functionResponse": {**id_member, "name": call.name, "response": {"output": words}}}


def wrap_results(results: Sequence[JsonValue]) -> JsonValue | None:
    """Return the user content that contains results."""
    return {"role": "user", "parts": list(results)}


def make_summary(words: str, role: str, key: str, parent: str | None, neighbor: JsonValue) -> Sequence[JsonValue]:
    """Return the summary as a user content or as a session message, because Gemini has no system role."""
    del role, parent
    if get_text(neighbor, "type") and "timestamp" in neighbor:
        message = {"id": key[:32], "timestamp": neighbor["timestamp"], "type": "user", "content": [{"text": words}]}
        return (message,)
    return ({"role": "user", "parts": [{"text": words}]},)
