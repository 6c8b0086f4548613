"""The links of a tree after a change: gives every kept entry a kept parent."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.chat.branches.active_path import Change, find_moves
from ctxkit.core.chat.editing.editable_format import ValuePatch
from ctxkit.core.chat.formats import claude_code
from ctxkit.core.chat.model.message import ChatMessage, EntryLink, Record
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
    links = _find_links(transcript, change, moves)
    inserted = _find_insertions(transcript, path, after, start, links)
    patches = {at: list(entry_patches) for at, entry_patches in change.patches.items()}
    for record, id_, own_parent in _list_children(transcript.records, change.dropped):
        current = links.parents.get(id_) or own_parent
        parent = links.find_staying(current)
        if id_ in inserted.ancestors and record.at >= start:
            parent = inserted.find_parent(parent)
        if parent != current or id_ in links.lost:
            entry_patches = transcript.format.patch_parent(record.value, parent or None)
            patches.setdefault(record.at, []).extend(entry_patches)
    if moves.boundary >= 0 and moves.boundary not in change.dropped:
        boundary = transcript.records[moves.boundary]
        patches.setdefault(boundary.at, []).extend(_patch_segment(boundary, moves, links))
    return change._replace(patches={at: entry_patches for at, entry_patches in patches.items() if entry_patches})


def _list_children(records: Sequence[Record], dropped: Container[int]) -> Iterator[tuple[Record, str, str]]:
    """Yield the kept entries with a parent, their ids, and the ids of their parents."""
    for record in records:
        link = record.link
        if record.at not in dropped and link is not None and link.parent is not None:
            yield record, link.id, link.parent


class _Links(NamedTuple):
    """The parents of entries by their ids, the ids that are gone, and the parents that are lost with a boundary."""

    parents: dict[str, str | None]
    gone: set[str]
    lost: dict[str, str]

    def find_staying(self, parent: str) -> str:
        """Return the id of the nearest kept ancestor, empty if there is none."""
        seen: set[str] = set()
        while parent in self.gone and parent not in seen:
            seen.add(parent)
            parent = self.parents.get(parent) or ""
        return "" if parent in self.gone else parent


def _find_links(transcript: Transcript, change: Change, moves: SegmentMoves) -> _Links:
    """Return the links of a tree without what a change drops."""
    moved = _list_moves(transcript, moves)
    lost = moved if moves.boundary in change.dropped else {}
    gone = {link.id for at in change.dropped if (link := transcript.records[at].link) and link.id}
    parents = _find_parents(transcript.records)
    parents |= lost or {id_: parent for id_, parent in moved.items() if id_ in gone}
    return _Links(parents, gone, lost)


class _Insertions(NamedTuple):
    """The last entry inserted after each entry, and the ids on the way to the end, which get them as parents.

    ``places`` are the positions of entries by their ids, if the inserted ones exclude those before ``start``.
    """

    after: Mapping[str, str]
    ancestors: set[str]
    places: Mapping[str, int]
    start: int

    def find_parent(self, parent: str) -> str:
        """Return the inserted entry after a parent, or that in place of an excluded one; else the parent."""
        is_excluded = self.places.get(parent, self.start) < self.start
        return next(iter(self.after.values())) if is_excluded else self.after.get(parent, parent)


def _find_insertions(
    transcript: Transcript, path: Sequence[int], after: Mapping[str, str] | None, start: int, links: _Links
) -> _Insertions:
    ancestors = _find_ancestors(transcript.records[path[-1]], links.parents) if path and after else set()
    places = {record.link.id: record.at for record in reversed(transcript.records) if record.link} if start else {}
    return _Insertions(after or {}, ancestors, places, start)


def _list_moves(transcript: Transcript, moves: SegmentMoves) -> dict[str, str]:
    """Return the parents that a boundary gives to entries, by the id of the entry."""
    links = ((transcript.records[at].link, parent) for at, parent in moves.parents.items())
    return {link.id: parent for link, parent in links if link}


def _patch_segment(boundary: Record, moves: SegmentMoves, links: _Links) -> Sequence[ValuePatch]:
    """Return the patches of a boundary that no longer keeps the entries that are gone."""
    segment = boundary.link.segment if boundary.link else None
    if segment is None or links.gone.isdisjoint((segment.anchor, *moves.members)):
        return ()
    anchor = links.find_staying(segment.anchor)
    return claude_code.patch_segment(boundary.value, anchor, [id_ for id_ in moves.members if id_ not in links.gone])


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


def _find_ancestors(record: Record, parents: Mapping[str, str | None]) -> set[str]:
    """Return the ids of the entries from a record back to the root."""
    ancestors: set[str] = set()
    at = record.link.id if record.link else ""
    while at and at not in ancestors:
        ancestors.add(at)
        at = parents.get(at) or ""
    return ancestors
