"""Snapshots: what a session's conversation is after a compaction, and how it goes on from there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.store.ref import SHORT_LENGTH, shorten_ref

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.core.chat.reading.transcript import Transcript

_REF = re.compile(rb"(?<![0-9A-Za-z])[0-9a-f]{12}(?:[0-9a-f]{52})?(?![0-9A-Za-z])")
"""A ref as it is shown, or whole."""


class Snapshot(NamedTuple):
    """Hold a conversation as a resumed session reads it: bytes, format, messages, and tokens with their method.

    It stands for the first ``covers`` of the session's history. ``created`` is in seconds since 1970.
    """

    session: str
    content: bytes
    format: str
    messages: int
    tokens: int
    method: str
    covers: HistoryExtent
    created: float = 0.0


def find_refs(content: bytes) -> set[str]:
    """Return the refs that a text mentions, and words that look like one, in the form that users see."""
    assert SHORT_LENGTH == 12
    return {shorten_ref(found.decode()) for found in _REF.findall(content)}


def append_lines(transcript: Transcript, lines: Sequence[bytes]) -> bytes:
    """Return a conversation with lines of a history after its entries, in the syntax that it has."""
    if not lines:
        return transcript.encode(transcript.text)
    texts = [line.decode("utf-8", "surrogateescape") for line in lines]
    if transcript.syntax == "document":
        return transcript.encode(_append_to_document(transcript, texts))
    if transcript.syntax == "marked":
        return transcript.encode(_append_marked(transcript, texts))
    text, end = transcript.text, "\r\n" if "\r\n" in transcript.text else "\n"
    return transcript.encode(text + ("" if text.endswith("\n") else end) + "".join(line + end for line in texts))


def _append_marked(transcript: Transcript, texts: Sequence[str]) -> str:
    from json import loads

    from ctxkit.core.chat.branches.rewrite import Change, apply_change

    return apply_change(transcript, Change(inserted={len(transcript.records): [loads(text) for text in texts]}))


def _append_to_document(transcript: Transcript, texts: Sequence[str]) -> str:
    """Return a document with values at the end of its list, laid out as those before them are."""
    text, records, (begin, _) = transcript.text, transcript.records, transcript.inner
    if not records:
        return text[: begin + 1] + ",".join(texts) + text[begin + 1 :]
    first, stop = text[begin + 1 : records[0].start], records[-1].end
    between = text[records[-2].end : records[-1].start] if len(records) > 1 else f",{first}"
    return text[:stop] + "".join(between + value for value in texts) + text[stop:]
