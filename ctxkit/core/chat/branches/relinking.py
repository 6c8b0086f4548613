"""The links of a tree after a change: gives every kept entry a kept parent."""

from collections.abc import Mapping, Sequence

from ctxkit.core.chat.branches.active_path import find_moves
from ctxkit.core.chat.branches.rewrite import Change
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.formats import claude_code
from ctxkit.core.chat.model.message import ChatMessage, EntryLink
from ctxkit.core.chat.model.record import Record
from ctxkit.core.chat.model.steps import SegmentMoves
from ctxkit.core.chat.reading.transcript import Transcript


def relink_entries(
    transcript: Transcript,
    change: Change,
    path: Sequence[int] = (),
    after: Mapping[str, str] | None = None,
    start: int = 0,
) -> Change:
    """Return a change with the link patches that it needs.

    An entry whose parent is dropped gets the nearest kept ancestor as its parent; a parent that the file does not have
    stands for the entry before, as the active path has it. ``after`` maps the id of an entry to
    the id of the last entry inserted after it: the next entry on the way to the end of ``path`` becomes its child.
    If the inserted entries exclude everything before the index ``start``, no later entry keeps a parent before it.
    """
    moves = find_moves(transcript, path)
    moved = _list_moves(transcript, moves)
    lost = moved if moves.boundary in change.dropped else {}
    places = {record.link.id: record.at for record in reversed(transcript.records) if record.link} if start else {}
    gone = {link.id for at in change.dropped if (link := transcript.records[at].link) and link.id}
    parents = _find_parents(transcript.records)
    parents |= lost or {id_: parent for id_, parent in moved.items() if id_ in gone}
    ancestors = _find_ancestors(transcript.records[path[-1]], parents) if path else set()
    patches = {at: list(entry_patches) for at, entry_patches in change.patches.items()}
    for record in transcript.records:
        link = record.link
        if record.at in change.dropped or link is None or link.parent is None:
            continue
        current = parents.get(link.id) or link.parent
        parent = _find_staying_parent(current, parents, gone)
        if after and link.id in ancestors and record.at >= start:
            is_excluded = places.get(parent, start) < start
            parent = next(iter(after.values())) if is_excluded else after.get(parent, parent)
        if parent != current or link.id in lost:
            entry_patches = transcript.format.patch_parent(record.value, parent or None)
            patches.setdefault(record.at, []).extend(entry_patches)
    if moves.boundary >= 0 and moves.boundary not in change.dropped:
        boundary = transcript.records[moves.boundary]
        patches.setdefault(boundary.at, []).extend(_patch_segment(boundary, moves, parents, gone))
    return change._replace(patches={at: entry_patches for at, entry_patches in patches.items() if entry_patches})


def _list_moves(transcript: Transcript, moves: SegmentMoves) -> dict[str, str]:
    """Return the parents that a boundary gives to entries, by the id of the entry."""
    links = ((transcript.records[at].link, parent) for at, parent in moves.parents.items())
    return {link.id: parent for link, parent in links if link}


def _patch_segment(
    boundary: Record, moves: SegmentMoves, parents: Mapping[str, str | None], gone: set[str]
) -> Sequence[ValuePatch]:
    """Return the patches of a boundary that no longer keeps the entries that are gone."""
    segment = boundary.link.segment if boundary.link else None
    if segment is None or gone.isdisjoint((segment.anchor, *moves.members)):
        return ()
    anchor = _find_staying_parent(segment.anchor, parents, gone)
    return claude_code.patch_segment(boundary.value, anchor, [id_ for id_ in moves.members if id_ not in gone])


def _find_parents(records: Sequence[Record]) -> dict[str, str | None]:
    """Return the parent of each entry by its id; the first entry with an id counts.

    Copilot CLI does not write all events that it links to: a parent that is not in the file stands for the entry
    before.
    """
    ids = {link.id for record in records for link in _list_links(record)}
    parents: dict[str, str | None] = {}
    before = ""
    for record in records:
        link = record.link
        if link is None or not link.id:
            continue
        is_missing = bool(link.parent) and link.parent not in ids and not link.is_sidechain
        parents.setdefault(link.id, before if is_missing else link.parent)
        before = before if link.is_sidechain else link.id
    return parents


def _list_links(record: Record) -> list[EntryLink]:
    entries = (entry.link if isinstance(entry, ChatMessage) else entry for entry in record.entries)
    return [entry for entry in entries if isinstance(entry, EntryLink)]


def _find_staying_parent(parent: str, parents: Mapping[str, str | None], gone: set[str]) -> str:
    """Return the id of the nearest kept ancestor, empty if there is none."""
    seen: set[str] = set()
    while parent in gone and parent not in seen:
        seen.add(parent)
        parent = parents.get(parent) or ""
    return "" if parent in gone else parent


def _find_ancestors(record: Record, parents: Mapping[str, str | None]) -> set[str]:
    """Return the ids of the entries from a record back to the root."""
    ancestors: set[str] = set()
    at = record.link.id if record.link else ""
    while at and at not in ancestors:
        ancestors.add(at)
        at = parents.get(at) or ""
    return ancestors
