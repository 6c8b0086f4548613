"""The parent of a summary in a tree of entries, and the notes that are dropped with the messages around them."""

from collections.abc import Container, Iterator, Mapping, Sequence

from ctxkit.core.chat.editing import EditableFormat
from ctxkit.core.chat.model.message import Record
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.text.json_value import JsonValue

NOTE_REASON = "note between messages that left"
"""Reason for dropping a note."""


def find_orphan_notes(transcript: Transcript, dropped: Container[int]) -> Iterator[int]:
    """Yield the index of each note between dropped messages.

    Notes after the last message are dropped if that message is dropped.
    """
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


def _get_parent(record: Record, moves: Mapping[int, str]) -> str | None:
    """Return the id of the parent of an entry, where a compaction by the agent may have moved it."""
    return moves.get(record.at, record.link.parent if record.link else None)


def find_parent_id(
    transcript: Transcript, path: Sequence[Record], dropped: Container[int], moved: Mapping[int, str] | None = None
) -> str:
    """Return the id of the nearest kept ancestor of a path, empty for the root.

    ``moved`` are the parents that a compaction by the agent gave to entries, by their index.
    """
    first = min(path, key=lambda record: record.at, default=None)
    moves = moved or {}
    parent = _get_parent(first, moves) if first is not None and first.link is not None else None
    by_id = {record.link.id: record for record in transcript.records if record.link and record.link.id}
    seen: set[str] = set()
    while parent and parent not in seen and parent in by_id and by_id[parent].at in dropped:
        seen.add(parent)
        parent = _get_parent(by_id[parent], moves)
    return parent if parent and parent not in seen else ""


def relink_under(editor: EditableFormat, value: JsonValue, parent: str) -> JsonValue:
    """Return the first entry of a tree with ``parent`` as its parent."""
    for patch in editor.patch_parent(value, parent):
        value = {**value, patch.place[0]: patch.value}
    return value


def find_neighbour(transcript: Transcript, at: int, dropped: Container[int]) -> JsonValue:
    """Return the value of the entry after an insertion, or None at the end.

    Messages come before notes, because some notes lack the fields that the entries of a session share.
    """
    kept_records = [record for record in transcript.records[at:] if record.at not in dropped]
    spoken = (record.value for record in kept_records if record.kind in ("message", "summary"))
    return next(spoken, kept_records[0].value if kept_records else None)
