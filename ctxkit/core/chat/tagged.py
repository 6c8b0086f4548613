"""Calls and results that templates write between tags, in the words of a message, as Hermes and Qwen do."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ctxkit.core.chat.shape import dumped, text
from ctxkit.core.chat.units import given

CALL, RESPONSE = "tool_call", "tool_response"


class Tagged(NamedTuple):
    """Hold what stands between two tags: its text, where that begins and ends, and where the tags do."""

    text: str
    start: int
    end: int
    outer: tuple[int, int]


def tagged(words: str, tag: str) -> Iterator[Tagged]:
    """Yield what stands between tags of a kind, without the blanks around it."""
    opening, closing = f"<{tag}>", f"</{tag}>"
    at = words.find(opening)
    while at >= 0:
        start = at + len(opening)
        end = words.find(closing, start)
        if end < 0:
            return
        inner, after = words[start:end], end + len(closing)
        bare = inner.strip()
        begin = start + len(inner) - len(inner.lstrip()) if bare else end
        yield Tagged(bare, begin, begin + len(bare), (at, after))
        at = words.find(opening, after)


def call_of(words: str) -> tuple[str, Any]:
    """Return the name and the arguments of a call; words that are no JSON have no name."""
    held = given(words)
    if not isinstance(held, dict):
        return "", held
    return text(held, "name"), given(held.get("arguments", held.get("parameters")))


def response_of(words: str) -> tuple[str, str]:
    """Return the name of the tool whose result it is, empty where that is not said, and what it returned."""
    held = given(words)
    if isinstance(held, dict) and text(held, "name") and "content" in held:
        return text(held, "name"), dumped(held["content"])
    return "", words
