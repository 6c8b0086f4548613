"""The registry of conversation formats."""

from collections.abc import Sequence

from ctxkit.core.chat.editing.conversation_format import ConversationFormat as ConversationFormat
from ctxkit.core.chat.editing.editable_format import EditableFormat
from ctxkit.core.chat.formats import (
    anthropic,
    atif,
    chatml,
    claude_code,
    codex,
    copilot,
    cursor,
    gemini,
    langchain,
    nanobot,
    openai,
    opencode,
    openhands,
    pi,
    qwen_code,
    responses,
    sharegpt,
    trajectory,
)
from ctxkit.core.chat.model.json_stream import MAX_SEARCHED_VALUES, SAMPLE_VALUES
from ctxkit.core.chat.reading.unread_formats import find_unread_format
from ctxkit.core.text.json_value import JsonValue

FORMATS: tuple[EditableFormat, ...] = (
    *(claude_code, qwen_code, codex, copilot, pi, opencode, openhands, nanobot, cursor, atif, gemini),
    *(responses, anthropic, sharegpt, trajectory, langchain, openai, chatml),
)
"""All formats, the most distinctive first: the first format that recognizes a value wins."""
LINE_FORMATS: tuple[EditableFormat, ...] = (claude_code, qwen_code, codex, copilot, pi, nanobot, cursor, atif)
"""Formats that write one entry per line; a list of their entries is a conversation too."""


def find_format(values: Sequence[JsonValue]) -> EditableFormat | None:
    """Return the first format that recognizes one of the values, None if no format does or one is known as not read.

    An event of a stream may look like a message of a format, and entries of a line format like items of another list.
    """
    if find_unread_format(values):
        return None
    return (
        _find_line_format(values, 0, SAMPLE_VALUES)
        or _find_first(FORMATS, values)
        or _find_line_format(values, SAMPLE_VALUES, MAX_SEARCHED_VALUES)
    )


def _find_first(formats: Sequence[EditableFormat], values: Sequence[JsonValue]) -> EditableFormat | None:
    return next((format_ for format_ in formats if any(format_.is_format_of(value) for value in values)), None)


def _find_line_format(values: Sequence[JsonValue], start: int, end: int) -> EditableFormat | None:
    """Return the format of the entries in a list, None if there is none or if the elements are conversations."""
    for value in values:
        items = [item for item in value[start:end] if isinstance(item, dict)] if isinstance(value, list) else []
        format_ = None if find_unread_format(items) else _find_first(LINE_FORMATS, items)
        if format_ and all(format_.find_entry_list(item) is None for item in items):
            return format_
    return None


def get_format(name: str) -> EditableFormat:
    """Return the format with a name; raise KeyError if there is none."""
    return {format_.NAME: format_ for format_ in FORMATS}[name]
