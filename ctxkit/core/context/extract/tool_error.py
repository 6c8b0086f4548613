"""The message in the error of a tool that is JSON.

Gemini CLI writes the error of an MCP tool behind the arguments of the call; OpenClaw and many servers write an object
with a status and a message.
"""

from collections.abc import Iterator, Mapping

from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import InvalidJsonError, JsonTooDeepError, decode_value

_LABEL, _MARK = "MCP tool '", " with response: "
_MESSAGES = ("message", "error", "detail", "reason", "stderr", "error_message", "errorMessage")
"""The members with the message of an error, the most telling first."""
MAX_OBJECT = 1_000_000
"""Maximum characters of an object that is read for its message."""
MAX_DEPTH = 8
"""Levels of a response that are searched for its texts."""


def read_tool_error(text: str) -> str:
    """Return the texts of the response in the error of an MCP tool, or the messages of an object; any other text as is.

    >>> read_tool_error("MCP tool 'push' reported tool error for function call: {} with response: "
    ...                 '[{"content":[{"type":"text","text":"422 name already exists"}]}]')
    '422 name already exists'
    """
    if text[:1] == "{":
        return "\n".join(_find_messages(text)) or text
    at = text.find(_MARK) if text.startswith(_LABEL) else -1
    if at < 0:
        return text
    try:
        value, _ = decode_value(text, at + len(_MARK))
    except (InvalidJsonError, JsonTooDeepError):
        return text[at + len(_MARK) :]
    return "\n".join(_find_texts(value, MAX_DEPTH)) or text


def _find_messages(text: str) -> Iterator[str]:
    """Yield the messages of an error that is one object, or of the object in its member ``error``."""
    try:
        value, end = decode_value(text, 0) if len(text) <= MAX_OBJECT else (None, 0)
    except (InvalidJsonError, JsonTooDeepError):
        return
    if text[end:].strip():  # more than the object
        return
    inner = value.get("error") if isinstance(value, Mapping) else None
    for body in (value, inner):
        messages = [body.get(key) for key in _MESSAGES] if isinstance(body, Mapping) else []
        yield from (message for message in messages if isinstance(message, str) and message.strip())


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
