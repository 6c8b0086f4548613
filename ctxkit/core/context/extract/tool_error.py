"""The message in the error of an MCP tool, which Gemini CLI writes behind the arguments of the call, as JSON."""

from collections.abc import Iterator

from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import InvalidJsonError, JsonTooDeepError, decode_value

_LABEL, _MARK = "MCP tool '", " with response: "
MAX_DEPTH = 8
"""Levels of a response that are searched for its texts."""


def read_tool_error(text: str) -> str:
    """Return the texts of the response in the error of an MCP tool, any other text as it is.

    >>> read_tool_error("MCP tool 'push' reported tool error for function call: {} with response: "
    ...                 '[{"content":[{"type":"text","text":"422 name already exists"}]}]')
    '422 name already exists'
    """
    at = text.find(_MARK) if text.startswith(_LABEL) else -1
    if at < 0:
        return text
    try:
        value, _ = decode_value(text, at + len(_MARK))
    except (InvalidJsonError, JsonTooDeepError):
        return text[at + len(_MARK) :]
    return "\n".join(_find_texts(value, MAX_DEPTH)) or text


def _find_texts(value: JsonValue, depth: int) -> Iterator[str]:
    """Yield the values of all keys "text" in a value, in order."""
    if isinstance(value, dict) and depth:
        for key, item in value.items():
            if key == "text" and isinstance(item, str):
                yield item
            else:
                yield from _find_texts(item, depth - 1)
    elif isinstance(value, list) and depth:
        for item in value:
            yield from _find_texts(item, depth - 1)
