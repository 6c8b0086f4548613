"""Snapshots: the conversation of a session after a compaction, and its continuation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ctxkit.core.errors import UsageError
from ctxkit.core.session.history import HistoryExtent
from ctxkit.core.session.ledger import check_session_name
from ctxkit.core.store.label import make_held_ref

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.core.chat.reading.transcript import Transcript

_REF = re.compile(rb"(?<![0-9A-Za-z])[0-9a-f]{12}(?:[0-9a-f]{4}|[0-9a-f]{52})?(?![0-9A-Za-z])")
"""A ref in its short form, in that of ctxkit 0.1.0, or in full (core/store/label.py)."""


KEPT_SNAPSHOTS = 10
"""Number of snapshots of a session that are kept, the newest one included."""


class Snapshot(NamedTuple):
    """A conversation for a resumed session: content, format, message count, and tokens with their method.

    It replaces the first ``covers`` of the session's history. ``created`` is in seconds since 1970. ``number`` is 1 for
    the newest snapshot of a session, 2 for the one before it.
    """

    session: str
    content: bytes
    format: str
    messages: int
    tokens: int
    method: str
    covers: HistoryExtent
    created: float = 0.0
    number: int = 1

    @property
    def name(self) -> str:
        """Return the name of the snapshot: the session, with the number of an earlier one."""
        return self.session if self.number == 1 else f"{self.session}@{self.number}"


class SnapshotStore(Protocol):
    """The last snapshots of each session."""

    def save(self, snapshot: Snapshot) -> Snapshot:
        """Save a snapshot with the current time as the session's newest one; return it."""

    def find(self, session: str, number: int = 1) -> Snapshot | None:
        """Return the newest snapshot of a session, or the one of a number from 2 on; None if it does not exist."""

    def earlier(self, session: str) -> list[Snapshot]:
        """Return the earlier snapshots of a session without their content, the newest first."""

    def all(self) -> list[Snapshot]:
        """Return the newest snapshot of every session without its content, the oldest first."""

    def remove(self, session: str) -> bool:
        """Remove all snapshots of a session; return whether there was one."""


def parse_snapshot_name(name: str) -> tuple[str, int]:
    """Return the session and the number in the name of a snapshot; raise UsageError if it is not a name.

    >>> parse_snapshot_name("s"), parse_snapshot_name("s@2")
    (('s', 1), ('s', 2))
    """
    session, mark, number = name.partition("@")
    if mark and not (number.isascii() and number.isdigit() and 0 < int(number[:4]) <= KEPT_SNAPSHOTS):
        raise UsageError(
            f"{name[:40]!r} is not the name of a snapshot",
            hint=f"S is the newest of session S, S@2 the one before it, up to S@{KEPT_SNAPSHOTS}",
        )
    return check_session_name(session), int(number) if mark else 1


def find_refs(content: bytes) -> set[str]:
    """Return the refs in a text, and words that look like refs, as make_held_ref returns them."""
    return {make_held_ref(ref.decode()) for ref in _REF.findall(content)}


def append_lines(transcript: Transcript, lines: Sequence[bytes]) -> bytes:
    """Return a conversation with lines of a history after its entries, in its own syntax."""
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

    from ctxkit.core.chat.branches import Change, apply_change

    return apply_change(transcript, Change(inserted={len(transcript.records): [loads(text) for text in texts]}))


def _append_to_document(transcript: Transcript, texts: Sequence[str]) -> str:
    """Return a document with values at the end of its list, in the layout of the existing values."""
    text, records, (begin, _) = transcript.text, transcript.records, transcript.inner
    if not records:
        return text[: begin + 1] + ",".join(texts) + text[begin + 1 :]
    first, stop = text[begin + 1 : records[0].start], records[-1].end
    between = text[records[-2].end : records[-1].start] if len(records) > 1 else f",{first}"
    return text[:stop] + "".join(between + value for value in texts) + text[stop:]
