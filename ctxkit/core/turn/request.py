"""The request of a turn: tools and system prompt, then the conversation in its own bytes, then what changes."""

from collections.abc import Iterable, Iterator, Sequence
from json import loads
from typing import NamedTuple

from ctxkit.core.chat.branches import find_active_path
from ctxkit.core.chat.editing import EditableFormat, ValuePatch, dump_json, patch_text
from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.chat.model.message import SYSTEM_ROLES, ChatEntry, Record
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.count.amount import CountOptions
from ctxkit.core.count.conversation import count_entries
from ctxkit.core.count.conversation_tokens import ConversationTokens
from ctxkit.core.count.message_tokens import MessageCounter
from ctxkit.core.prompt import CACHE_CONTROL, CacheBreakpoint, Prompt, make_anthropic_members
from ctxkit.core.session.history import join_json_line
from ctxkit.core.text.json_value import JsonValue

_MARKABLE = ("text", "image", "document", "tool_use", "tool_result")
"""Blocks of Anthropic that may carry a breakpoint ("Prompt caching", "What can be cached")."""
LIST_MEMBERS = {"openai": "messages", "anthropic": "messages", "responses": "input", "gemini": "contents"}
"""The member of a request with the conversation, by format."""


class SystemPrompt(NamedTuple):
    """The system prompt: its static text, and the prompt with its usable breakpoints unless it was only joined."""

    text: str
    prompt: Prompt | None = None
    breakpoints: tuple[CacheBreakpoint, ...] = ()


class RequestParts(NamedTuple):
    """What a request is made of, apart from the conversation.

    ``tools`` is the JSON text of that member, "" without tools. ``model`` and ``max_tokens`` are left out if empty.
    ``tail`` is what changes every turn. ``marks_cache`` asks for a breakpoint at the end of the conversation.
    """

    format: EditableFormat
    system: SystemPrompt = SystemPrompt("")
    tools: str = ""
    tail: str = ""
    model: str = ""
    max_tokens: int = 0
    marks_cache: bool = False


class RequestItem(NamedTuple):
    """An element of the conversation in a request: its JSON text on one line, and what a model reads of it."""

    text: str
    entries: tuple[ChatEntry, ...]


class TurnRequest(NamedTuple):
    """A request: its members before the conversation as JSON texts, and the conversation."""

    format: EditableFormat
    members: tuple[tuple[str, str], ...]
    items: tuple[RequestItem, ...]

    def encode(self) -> bytes:
        """Return the request as one line of JSON, in UTF-8."""
        members = [f"{dump_json(name)}:{text}" for name, text in self.members]
        items = ",".join(item.text for item in self.items)
        members.append(f'"{LIST_MEMBERS[self.format.NAME]}":[{items}]')
        return ("{" + ",".join(members) + "}\n").encode("utf-8", "replace")

    def count_tokens(self, count_options: CountOptions, counter: MessageCounter) -> ConversationTokens:
        """Return the tokens that a model reads of the request."""
        return count_entries(self._entries(), self.format, count_options, counter)

    def _entries(self) -> Iterator[ChatEntry]:
        head = {name: loads(text) for name, text in self.members}
        yield from self.format.read_entries({**head, LIST_MEMBERS[self.format.NAME]: []})
        for item in self.items:
            yield from item.entries


def make_request(parts: RequestParts, transcript: Transcript | None) -> TurnRequest:
    """Return the request with a conversation in the same format; None stands for an empty one.

    Messages keep their bytes, except the last one, which may get the tail and the mark of the cache.
    """
    places = find_active_path(transcript) if transcript else ()
    records = [transcript.records[at] for at in places] if transcript else []
    instructions = _count_instructions(parts, records)
    items = list(_make_head_items(parts, records[:instructions]))
    if transcript is not None:
        items += _make_items(transcript, records[instructions:-1] if len(records) > instructions else [])
        if len(records) > instructions:
            items += _make_last_items(parts, transcript, records[-1])
    if parts.tail and (transcript is None or len(records) == instructions):
        items.append(_make_item(parts.format, make_tail_message(parts.format.NAME, parts.tail)))
    return TurnRequest(parts.format, tuple(_make_members(parts)), tuple(items))


def _make_members(parts: RequestParts) -> Iterator[tuple[str, str]]:
    if parts.model and parts.format.NAME != "gemini":
        yield "model", dump_json(parts.model)
    if parts.max_tokens and parts.format.NAME == "anthropic":
        yield "max_tokens", str(parts.max_tokens)
    if parts.tools:
        yield "tools", parts.tools
    if parts.system.text and parts.format.NAME != "openai":
        yield from _make_system_member(parts)


def _make_system_member(parts: RequestParts) -> Iterator[tuple[str, str]]:
    system = parts.system
    if parts.format.NAME == "responses":
        yield "instructions", dump_json(system.text)
    elif parts.format.NAME == "gemini":
        yield "systemInstruction", dump_json({"parts": [{"text": system.text}]})
    elif system.prompt is None:
        yield "system", dump_json([{"type": "text", "text": system.text}])
    else:
        yield "system", dump_json(make_anthropic_members(system.prompt, system.breakpoints)["system"])


def _count_instructions(parts: RequestParts, records: Sequence[Record]) -> int:
    """Return the number of leading system messages that join the system prompt: chat templates accept only one."""
    if parts.format.NAME != "openai" or not parts.system.text:
        return 0
    return next((at for at, record in enumerate(records) if not _is_plain_instruction(record)), len(records))


def _is_plain_instruction(record: Record) -> bool:
    return record.role in SYSTEM_ROLES and isinstance(record.value.get("content"), str) and len(record.value) == 2


def _make_head_items(parts: RequestParts, instructions: Sequence[Record]) -> Iterator[RequestItem]:
    """Yield the system message of Chat Completions."""
    if parts.format.NAME == "openai" and parts.system.text:
        texts = [parts.system.text, *(record.value["content"] for record in instructions)]
        yield _make_item(parts.format, {"role": "system", "content": "\n".join(texts)})


def _make_items(transcript: Transcript, records: Iterable[Record]) -> Iterator[RequestItem]:
    for record in records:
        yield RequestItem(join_json_line(transcript.get_raw(record)), record.entries)


def _make_last_items(parts: RequestParts, transcript: Transcript, record: Record) -> Iterator[RequestItem]:
    """Yield the last message, with the mark of the cache and with the tail inside it or after it."""
    patches: list[ValuePatch] = []
    if parts.marks_cache and parts.format.NAME == "anthropic":
        patches += mark_breakpoint(record.value)
    attached = attach_tail(parts.format.NAME, record.value, parts.tail, patches) if parts.tail else patches
    if attached is None:
        yield _patch_item(parts.format, transcript, record, patches)
        yield _make_item(parts.format, make_tail_message(parts.format.NAME, parts.tail))
    else:
        yield _patch_item(parts.format, transcript, record, attached)


def _patch_item(
    format_: EditableFormat, transcript: Transcript, record: Record, patches: Sequence[ValuePatch]
) -> RequestItem:
    if not patches:
        return RequestItem(join_json_line(transcript.get_raw(record)), record.entries)
    text = join_json_line(patch_text(transcript.text, record.start, patches))
    return RequestItem(text, tuple(format_.read_entries(loads(text))))


def _make_item(format_: EditableFormat, value: JsonValue) -> RequestItem:
    return RequestItem(dump_json(value), tuple(format_.read_entries(value)))


def make_tail_message(format_name: str, tail: str) -> dict[str, JsonValue]:
    """Return the message that contains the tail alone."""
    if format_name == "gemini":
        return {"role": "user", "parts": [{"text": tail}]}
    content: JsonValue = [{"type": "text", "text": tail}] if format_name == "anthropic" else tail
    return {"role": "user", "content": content}


def attach_tail(
    format_name: str, message: dict[str, JsonValue], tail: str, patches: Sequence[ValuePatch] = ()
) -> list[ValuePatch] | None:
    """Return the patches of the last message that add the tail, None if the tail needs a message of its own.

    It joins a message of the user, because some APIs and chat templates reject two of them in a row. ``patches`` are
    those that mark the message for the cache.
    """
    if get_text(message, "role") != "user" or format_name == "responses":
        return None
    if format_name == "gemini":
        parts = message.get("parts")
        if not isinstance(parts, list) or any("functionResponse" in part for part in parts if isinstance(part, dict)):
            return None
        return [ValuePatch(("parts", len(parts)), {"text": tail}, "insert")]
    return _attach_to_content(format_name, message.get("content"), tail, patches)


def _attach_to_content(
    format_name: str, content: JsonValue, tail: str, patches: Sequence[ValuePatch]
) -> list[ValuePatch] | None:
    block = {"type": "text", "text": tail}
    if isinstance(content, list):
        return [*patches, ValuePatch(("content", len(content)), block, "insert")]
    if not isinstance(content, str):
        return None
    if format_name == "openai":
        return [ValuePatch(("content",), f"{content}\n\n{tail}")]
    first = patches[0].value if patches else [{"type": "text", "text": content}] if content.strip() else []
    return [ValuePatch(("content",), [*first, block])]


def mark_breakpoint(message: dict[str, JsonValue]) -> list[ValuePatch]:
    """Return the patches that put a cache breakpoint on the last block of a message of Anthropic; none if it may not.

    A text becomes a block, which a model reads as the same tokens.
    """
    content = message.get("content")
    if isinstance(content, str):
        blocks = [{"type": "text", "text": content, "cache_control": dict(CACHE_CONTROL)}]
        return [ValuePatch(("content",), blocks)] if content.strip() else []
    if not isinstance(content, list) or not content:
        return []
    last = content[-1]
    if get_text(last, "type") not in _MARKABLE or (get_text(last, "type") == "text" and not get_text(last, "text")):
        return []
    return [ValuePatch(("content", len(content) - 1, "cache_control"), dict(CACHE_CONTROL))]
