"""The answers of Terminus, the agent of terminal-bench: JSON text with an analysis, a plan, and keys for a terminal."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.chat.model.json_fields import get_objects, get_text

if TYPE_CHECKING:
    from json import JSONDecoder

_MARK = '"keystrokes"'
_EXPLANATION_KEYS = ("analysis", "plan", "state_analysis", "explanation")
"""Members with the agent's words, in Terminus 2 and in Terminus 1."""


class KeystrokeAnswer(NamedTuple):
    """The commands that an answer types into the terminal, and the message with the agent's words in place of JSON."""

    command: str
    words: str


def read_keystrokes(words: str) -> KeystrokeAnswer | None:
    """Return the answer in a message, None if it types nothing; text before and after the JSON is allowed.

    >>> read_keystrokes('{"analysis": "Empty.", "plan": "Look.", "commands": [{"keystrokes": "ls -la\\\\n"}]}')
    KeystrokeAnswer(command='ls -la', words='Empty.\\nLook.')
    """
    start = words.find("{") if _MARK in words else -1
    if start < 0:
        return None
    try:
        value, end = _load_decoder().raw_decode(words, start)
    except (ValueError, RecursionError):
        return None
    command = "".join(get_text(item, "keystrokes") for item in get_objects(value, "commands")).strip()
    if not isinstance(value, Mapping) or not command:
        return None
    explanation = [get_text(value, key) for key in _EXPLANATION_KEYS]
    around = (words[:start].strip().removesuffix("```json"), words[end:].strip().removeprefix("```"))
    return KeystrokeAnswer(command, "\n".join(filter(None, (around[0], *explanation, around[1].strip()))))


@cache
def _load_decoder() -> "JSONDecoder":
    from json import JSONDecoder

    return JSONDecoder(strict=False)
