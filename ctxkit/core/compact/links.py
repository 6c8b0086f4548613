"""Where a summary hangs in a tree, and which notes leave with the messages around them."""

from collections.abc import Container, Iterator, Sequence
from typing import Any

from ctxkit.core.chat.editor import Editor
from ctxkit.core.chat.record import Record
from ctxkit.core.chat.transcript import Transcript

NOTE = "note between messages that left"
"""Why a note leaves."""


def notes(transcript: Transcript, gone: Container[int]) -> Iterator[int]:
    """Yield the notes between messages that leave: with one of them on both sides, or before them and none after."""
    pending: list[int] = []
    leaves = False
    for record in transcript.records:
        if record.kind == "note":
            if record.at not in gone:
                pending.append(record.at)
            continue
        if record.at in gone and leaves:
            yield from pending
        leaves, pending = record.at in gone, []
    if leaves:
        yield from pending


def seat(transcript: Transcript, path: Sequence[Record], gone: Container[int]) -> str:
    """Return the id of the entry that stays before the first one of a path, empty for the root."""
    first = min(path, key=lambda record: record.at, default=None)
    parent = first.link.parent if first is not None and first.link is not None else None
    known = {record.link.id: record for record in transcript.records if record.link and record.link.id}
    seen: set[str] = set()
    while parent and parent not in seen and parent in known and known[parent].at in gone:
        seen.add(parent)
        link = known[parent].link
        parent = link.parent if link else None
    return parent if parent and parent not in seen else ""


def under(editor: Editor, value: Any, parent: str) -> Any:
    """Return an entry that begins a tree under a note that stays before it."""
    for patch in editor.relinked(value, parent):
        value = {**value, patch.place[0]: patch.value}
    return value


def neighbour(transcript: Transcript, at: int, gone: Container[int]) -> Any:
    """Return the value of the entry that will stand behind what is inserted at a place, None at the end.

    A message before a note: not every note says what the entries of its session have in common.
    """
    stay = [record for record in transcript.records[at:] if record.at not in gone]
    spoken = (record.value for record in stay if record.kind in ("message", "summary"))
    return next(spoken, stay[0].value if stay else None)
