"""A conversation in plain words, read without any code of ctxkit: what the truths of this bench are made from."""

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Did:
    """Hold a tool call: its arguments are a mapping where they can be read as one."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass
class Said:
    """Hold one message; one that ``answers`` a call is what a tool returned, and ``failed`` says how it went."""

    role: str
    text: str = ""
    did: list[Did] = field(default_factory=list)
    answers: str = ""
    failed: bool = False
    spoken: bool = True
    """False for a user's message that no person wrote."""


def words(content: Any) -> str:
    """Return the words of a content, whichever way its blocks are written."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return words(content.get("text") or content.get("content") or content.get("output") or "")
    if isinstance(content, list):
        return "\n".join(filter(None, map(words, content)))
    return ""


def strings(value: Any) -> list[str]:
    """Return every string in a JSON value, keys left out, and those in a string that is itself JSON."""
    if isinstance(value, str):
        return [value, *_inner(value)]
    if isinstance(value, dict):
        return [string for entry in value.values() for string in strings(entry)]
    if isinstance(value, list):
        return [string for entry in value for string in strings(entry)]
    return []


def _inner(text: str) -> list[str]:
    """Return the strings of a text that is a JSON object, such as the arguments of a call."""
    if not text.startswith("{"):
        return []
    try:
        return strings(json.loads(text))
    except ValueError:
        return []
