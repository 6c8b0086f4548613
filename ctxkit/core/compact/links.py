"""Where a summary hangs in a tree, and which notes leave with the messages around them."""

from collections.abc import Container, Iterator, Sequence
from typing import Any

from ctxkit.core.chat.editing.editable_format import EditableFormat
from ctxkit.core.chat.model.record import Record
from ctxkit.core.chat.reading.transcript import Transcript

NOTE_REASON = "note between messages that left"
"""Why a note leaves."""


def find_orphan_notes(transcript: Transcript, dropped: Container[int]) -> Iterator[int]:
    """Yield the notes between messages that leave: with one of them on both sides, or before them and none after."""
    pending: list[int] = []
    leaves = False
    for record in transcript.records:
        if record.kind == "note":
            if record.at not in dropped:
                pending.append(record.at)
            continue
        if record.at in dropped and leaves:
            yield from pending
        leaves, pending = record.at in dropped, []
    if leaves:
        yield from pending


def find_parent_id(transcript: Transcript, path: Sequence[Record], dropped: Container[int]) -> str:
    """Return the id of the entry that stays before the first one of a path, empty for the root."""
    first = min(path, key=lambda record: record.at, default=None)
    parent = first.link.parent if first is not None and first.link is not None else None
    by_id = {record.link.id: record for record in transcript.records if record.link and record.link.id}
    seen: set[str] = set()
    while parent and parent not in seen and parent in by_id and by_id[parent].at in dropped:
        seen.add(parent)
        link = by_id[parent].link
        parent = link.parent if link else None
    return parent if parent and parent not in seen else ""


def relink_under(editor: EditableFormat, value: Any, parent: str) -> Any:
    """Return an entry that begins a tree under a note that stays before it."""
    for patch in editor.patch_parent(value, parent):
        value = {**value, patch.place[0]: patch.value}
    return value


def find_neighbour(transcript: Transcript, at: int, dropped: Container[int]) -> Any:
    """Return the value of the entry that will stand behind what is inserted at a place, None at the end.

    A message before a note: not every note says what the entries of its session have in common.
    """
    kept_records = [record for record in transcript.records[at:] if record.at not in dropped]
    spoken = (record.value for record in kept_records if record.kind in ("message", "summary"))
    return next(spoken, kept_records[0].value if kept_records else None)
