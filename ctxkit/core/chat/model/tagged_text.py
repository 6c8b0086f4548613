"""Calls and results between tags in the text of a message, as the templates of Hermes and Qwen write them."""

from collections.abc import Iterator
from typing import NamedTuple

from ctxkit.core.chat.model.calls_and_results import parse_arguments
from ctxkit.core.chat.model.json_fields import dump_value, get_text
from ctxkit.core.text.json_value import JsonValue

CALL_TAG, RESPONSE_TAG = "tool_call", "tool_response"


class TaggedText(NamedTuple):
    """The text between two tags, its start and end, and the span including the tags."""

    text: str
    start: int
    end: int
    outer: tuple[int, int]


def find_tagged(words: str, tag: str) -> Iterator[TaggedText]:
    """Yield the text between each pair of tags, without surrounding blanks."""
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
        yield TaggedText(bare, begin, begin + len(bare), (at, after))
        at = words.find(opening, after)


def parse_call(words: str) -> tuple[str, JsonValue]:
    """Return the name and the arguments of a call; text that is not JSON has no name."""
    value = parse_arguments(words)
    if not isinstance(value, dict):
        return "", value
    return get_text(value, "name"), parse_arguments(value.get("arguments", value.get("parameters")))


def parse_response(words: str) -> tuple[str, str]:
    """Return the tool name of a result, empty if unknown, and the text of the result."""
    value = parse_arguments(words)
    if isinstance(value, dict) and get_text(value, "name") and "content" in value:
        return get_text(value, "name"), dump_value(value["content"])
    return "", words
