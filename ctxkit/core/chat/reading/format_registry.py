"""The registry of conversation formats, and those that ctxkit does not read, so that an error can name them."""

from collections import Counter
from collections.abc import Sequence

from ctxkit.core.chat.editing import ConversationFormat as ConversationFormat
from ctxkit.core.chat.editing import EditableFormat
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
from ctxkit.core.chat.model.json_fields import ABSENT, Shape, has_shape
from ctxkit.core.chat.reading.unread_format_table import UNREAD_FORMATS, UnreadFormat
from ctxkit.core.errors import UnreadFormatError
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import MAX_SEARCHED_VALUES, SAMPLE_VALUES

TEXT_PREFIXES = tuple((prefix, format_) for format_ in UNREAD_FORMATS for prefix in format_.prefixes)
"""The beginnings of conversations that are not JSON, after blanks, and their formats."""
SAMPLE_CHARACTERS = 100
"""Characters at the beginning of a text that tell whether it is a conversation that is not JSON."""


def _index_shapes() -> dict[str, list[tuple[dict[str, Shape], UnreadFormat]]]:
    """Return the shapes by their rarest member, so that a value is compared with few of them."""
    rows = [(shape, format_) for format_ in UNREAD_FORMATS for shape in format_.shapes]
    counts = Counter(key for shape, _ in rows for key in shape)
    index: dict[str, list[tuple[dict[str, Shape], UnreadFormat]]] = {}
    for shape, format_ in rows:
        keys = [key for key, member in shape.items() if member is not ABSENT]
        index.setdefault(min(keys, key=counts.__getitem__), []).append((shape, format_))
    return index


_SHAPES_BY_KEY = _index_shapes()
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


def find_unread_format(values: Sequence[JsonValue]) -> UnreadFormat | None:
    """Return the format of the first value that ctxkit is known not to read, None if there is none.

    A value may be a list whose first elements are in the format.
    """
    for value in values:
        elements = value[:SAMPLE_VALUES] if isinstance(value, list) else (value,)
        for element in elements:
            if isinstance(element, dict) and (format_ := _find_format_of(element)):
                return format_
    return None


def _find_format_of(value: dict[str, JsonValue]) -> UnreadFormat | None:
    rows = (row for key in value if key in _SHAPES_BY_KEY for row in _SHAPES_BY_KEY[key])
    return next((format_ for shape, format_ in rows if has_shape(value, shape)), None)


def find_unread_text(text: str) -> UnreadFormat | None:
    """Return the format of a text that is not JSON, None if it is not known."""
    start = text[:SAMPLE_CHARACTERS].lstrip()
    return next((format_ for prefix, format_ in TEXT_PREFIXES if start.startswith(prefix)), None)


def make_unread_error(name: str, unread: UnreadFormat) -> UnreadFormatError:
    """Return the error for content in a format that ctxkit does not read; ``name`` is that of the content."""
    return UnreadFormatError(f"{name}: it is {unread.name}, which ctxkit does not read", hint=unread.hint)
