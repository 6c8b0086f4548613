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
from ctxkit.core.chat.reading.unread_formats import find_unread_format
from ctxkit.core.text.json_value import JsonValue

FORMATS: tuple[EditableFormat, ...] = (
    *(claude_code, qwen_code, codex, copilot, pi, opencode, openhands, nanobot, cursor, atif, gemini),
    *(responses, anthropic, sharegpt, trajectory, langchain, openai, chatml),
)
"""All formats, the most distinctive first: the first format that recognizes a value wins."""


def find_format(values: Sequence[JsonValue]) -> EditableFormat | None:
    """Return the first format that recognizes one of the values, None if no format does or one is known as not read.

    An event of a stream may look like a message of a format.
    """
    if find_unread_format(values):
        return None
    return next((format_ for format_ in FORMATS if any(format_.is_format_of(value) for value in values)), None)


def get_format(name: str) -> EditableFormat:
    """Return the format with a name; raise KeyError if there is none."""
    return {format_.NAME: format_ for format_ in FORMATS}[name]
