"""Marks of a session's messages: those that a model keeps, and those that may be removed when space is short."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from ctxkit.core.session.history import join_json_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ctxkit.core.chat.model.record import Record
    from ctxkit.core.chat.reading.transcript import Transcript

ContextMark = Literal["keep", "removable"]
MARKS: tuple[ContextMark, ...] = ("keep", "removable")
"""All marks."""


class MarkedMessages(NamedTuple):
    """The digests of the messages of a session with each mark."""

    kept: frozenset[str] = frozenset()
    removable: frozenset[str] = frozenset()


class MarkStore(Protocol):
    """The marks of the messages of sessions."""

    def find(self, session: str) -> dict[str, str]:
        """Return the mark of each marked message by its digest."""

    def set_mark(self, session: str, digests: Iterable[str], mark: ContextMark) -> None:
        """Mark messages; a new mark replaces an older one."""


def digest_message(transcript: Transcript, record: Record) -> str:
    """Return what identifies a message in the history and in a snapshot: the hash of its bytes on one line."""
    from hashlib import sha256  # only a session with marks needs it

    return sha256(transcript.encode(join_json_line(transcript.get_raw(record)))).hexdigest()


def group_marks(marks: Mapping[str, str]) -> MarkedMessages:
    """Return the marked messages; ``marks`` gives the mark of each digest."""
    return MarkedMessages(
        frozenset(digest for digest, mark in marks.items() if mark == "keep"),
        frozenset(digest for digest, mark in marks.items() if mark == "removable"),
    )


def find_kept_texts(transcript: Transcript, marked: MarkedMessages, longest: int) -> Iterator[str]:
    """Yield the texts of the kept messages, of at most ``longest`` characters, that a summary must repeat."""
    for record in transcript.records if marked.kept else ():
        text = record.words.strip()
        if text and len(text) <= longest and digest_message(transcript, record) in marked.kept:
            yield text
