"""Name a conversation by the hashes of its messages: equal beginnings have equal names."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b

from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.text.json_value import JsonValue

CACHE_MARK = "cache_control"
LENGTH = 16
"""Bytes of a hash."""
MIN_MESSAGES = 2
"""Messages that identify a conversation: all conversations of an agent may begin with the same system message."""


def hash_messages(
    messages: Sequence[JsonValue], dump: Callable[[JsonValue], bytes], *, may_have_marks: bool = True
) -> list[bytes]:
    """Return a hash for each message; marks of the prompt cache, which clients move, do not change it.

    Messages that cannot have marks (``may_have_marks``) are not searched for them.
    """
    plain = map(remove_cache_marks, messages) if may_have_marks else messages
    return [blake2b(dump(message), digest_size=LENGTH).digest() for message in plain]


def hash_prefixes(place: str, digests: Sequence[bytes]) -> list[str]:
    """Return a name for each prefix of a conversation, the shortest first; a ``place`` has names of its own."""
    return list(_chain(place, digests))


def _chain(place: str, digests: Sequence[bytes]) -> Iterator[str]:
    state = place.encode()
    for digest in digests:
        state = blake2b(state + digest, digest_size=LENGTH).digest()
        yield state.hex()


def remove_cache_marks(message: JsonValue) -> JsonValue:
    """Return a message without the marks of Anthropic's prompt cache on it and on its blocks."""
    if not isinstance(message, dict):
        return message
    content = message.get("content")
    if isinstance(content, list) and any(map(_is_marked, content)):
        message = {**message, "content": [_unmark(block) for block in content]}
    return _unmark(message)


def _is_marked(value: JsonValue) -> bool:
    if not isinstance(value, dict):
        return False
    inner = value.get("content") if get_text(value, "type") == "tool_result" else None
    return CACHE_MARK in value or (isinstance(inner, list) and any(map(_is_marked, inner)))


def _unmark(value: JsonValue) -> JsonValue:
    if not _is_marked(value):
        return value
    kept = {key: member for key, member in value.items() if key != CACHE_MARK}
    if get_text(value, "type") == "tool_result" and isinstance(value.get("content"), list):
        kept["content"] = [_unmark(block) for block in value["content"]]
    return kept
