"""The boundary of a conversation, named by hashes: how many messages were compacted, and what replaces them."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from json import loads
from typing import NamedTuple

from ctxkit.core.chat.editing import dump_json
from ctxkit.core.chat.model.json_fields import get_text
from ctxkit.core.chat.reading.transcript import Transcript, parse_changed
from ctxkit.core.text.json_value import JsonValue

CACHE_MARK = "cache_control"
_LENGTH = 16
"""Bytes of a hash."""
MIN_MESSAGES = 2
"""Messages that identify a conversation: all conversations of an agent may begin with the same system message."""


class Boundary(NamedTuple):
    """The number of ``covered`` messages, and the JSON texts of the messages that replace them."""

    covered: int
    entries: tuple[str, ...]

    def list_messages(self) -> list[JsonValue]:
        """Return the messages that replace the covered ones."""
        return [loads(text) for text in self.entries]


def replace_prefix(transcript: Transcript, boundary: Boundary) -> Transcript:
    """Return a request whose first messages are replaced; all other characters stay."""
    text, (begin, end) = transcript.text, transcript.inner
    later = transcript.records[boundary.covered :]
    kept = [text[later[0].start : end - 1]] if later else []
    changed = f"{text[:begin]}[{','.join((*boundary.entries, *kept))}]{text[end:]}"
    return parse_changed(transcript.encode(changed), "the request", transcript)


def find_replacement(before: Transcript, after: Transcript, least: int) -> Boundary:
    """Return how many messages of ``before`` a compaction covers, ``least`` at least, and what replaces them.

    All messages from there on are the same before and after.
    """
    raw_before, raw_after = (list(map(talk.get_raw, talk.records)) for talk in (before, after))
    limit = min(len(raw_before) - least, len(raw_after))
    same = 0
    while same < limit and raw_before[-1 - same] == raw_after[-1 - same]:
        same += 1
    return Boundary(len(raw_before) - same, tuple(map(remove_marks, raw_after[: len(raw_after) - same])))


def remove_marks(text: str) -> str:
    """Return a message without marks of the prompt cache: the client marks other messages later."""
    return dump_json(remove_cache_marks(loads(text))) if CACHE_MARK in text else text


def hash_messages(
    messages: Sequence[JsonValue], dump: Callable[[JsonValue], bytes], *, may_have_marks: bool = True
) -> list[bytes]:
    """Return a hash for each message; marks of the prompt cache, which clients move, do not change it.

    Messages that cannot have marks (``may_have_marks``) are not searched for them.
    """
    plain = map(remove_cache_marks, messages) if may_have_marks else messages
    return [blake2b(dump(message), digest_size=_LENGTH).digest() for message in plain]


def hash_prefixes(place: str, digests: Sequence[bytes]) -> list[str]:
    """Return a name for each prefix of a conversation, the shortest first; a ``place`` has names of its own."""
    return list(_chain(place, digests))


def _chain(place: str, digests: Sequence[bytes]) -> Iterator[str]:
    state = place.encode()
    for digest in digests:
        state = blake2b(state + digest, digest_size=_LENGTH).digest()
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
