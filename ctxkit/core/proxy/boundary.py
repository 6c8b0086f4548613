"""The boundary of a conversation: how many of its first messages were compacted, and what replaces them."""

from json import loads
from typing import NamedTuple

from ctxkit.core.chat.editing.json_patches import dump_json
from ctxkit.core.chat.reading.transcript import Transcript, parse_changed
from ctxkit.core.proxy.message_hashes import CACHE_MARK, remove_cache_marks
from ctxkit.core.text.json_value import JsonValue


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
