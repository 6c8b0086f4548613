"""The path of entries that a host sends, the rewriting of entries on it, and the links of a tree after a change."""

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.chat.editing import JsonPiece, ValuePatch, dump_json, join_pieces, patch_text
from ctxkit.core.chat.formats import chatml, claude_code
from ctxkit.core.chat.model.message import ChatMessage, EntryLink, Record, Rewind
from ctxkit.core.chat.model.steps import (
    PathStep,
    SegmentMoves,
    find_path,
    find_segment_moves,
    index_updates,
    make_step,
    rewind_steps,
)
from ctxkit.core.chat.reading.transcript import Transcript
from ctxkit.core.text.json_value import JsonValue


def find_active_path(transcript: Transcript, leaf: str = "") -> tuple[int, ...]:
    """Return the indices of the entries that the agent would send next, in order; a summary comes first.

    In a tree, the path ends at the entry with the id ``leaf``, by default at the newest entry. Raise KeyError if no
    entry has that id.
    """
    paths = transcript.active_paths
    if leaf not in paths:  # each stage of a compaction needs it again
        paths[leaf] = _compute_path(transcript, leaf)
    return paths[leaf]


def _compute_path(transcript: Transcript, leaf: str) -> tuple[int, ...]:
    steps = _list_steps(transcript)
    if transcript.format.LINEAR:
        places = [at for at, (_, step) in enumerate(steps) if step.role]
    else:
        places = find_path([step for _, step in steps], leaf)
    return tuple(dict.fromkeys(steps[at][0] for at in places))


def find_moves(transcript: Transcript, path: Sequence[int] = ()) -> SegmentMoves:
    """Return how the last compaction on a path, by default the newest, moved the entries that it kept.

    Indices are those of entries.
    """
    if not any(record.link and record.link.segment for record in transcript.records):
        return SegmentMoves()
    steps = _list_steps(transcript)
    end = transcript.records[path[-1]].link if path else None
    moves = find_segment_moves([step for _, step in steps], end.id if end else "")
    if moves.boundary < 0:
        return moves
    return moves._replace(
        boundary=steps[moves.boundary][0], parents={steps[at][0]: parent for at, parent in moves.parents.items()}
    )


def _list_steps(transcript: Transcript) -> list[tuple[int, PathStep]]:
    """Return the steps of a transcript with the indices of their entries, without rewound steps."""
    steps: list[tuple[int, PathStep]] = []
    places: dict[str, int] = {}
    for record in transcript.records:
        for entry in record.entries:
            if isinstance(entry, Rewind):
                stay = rewind_steps([step for _, step in steps], entry.turns, entry.since)
                steps = [steps[place] for place in stay]
                places = index_updates(step for _, step in steps)
            elif isinstance(entry, (ChatMessage, EntryLink)):
                _add_step(steps, places, record.at, make_step(entry))
    return steps


def _add_step(steps: list[tuple[int, PathStep]], places: dict[str, int], at: int, step: PathStep) -> None:
    """Add a step, or replace the earlier step that it updates."""
    if step.link.is_update and step.link.id in places:
        steps[places[step.link.id]] = at, step
        return
    places[step.link.id] = len(steps)
    steps.append((at, step))


class Change(NamedTuple):
    """A change of a conversation: dropped entries, patches of entries, and inserted entries.

    Keys are indices of entries. Insertions come before the entry at their index; the number of entries means the end.
    """

    dropped: frozenset[int] = frozenset()
    patches: Mapping[int, Sequence[ValuePatch]] = {}
    inserted: Mapping[int, Sequence[JsonValue]] = {}


def apply_change(transcript: Transcript, change: Change) -> str:
    """Return the text of a conversation after a change; raise KeyError if the place of a patch does not exist."""
    if transcript.syntax == "document":
        return _rewrite_document(transcript, change)
    return _rewrite_lines(transcript, change)


def _rewrite_document(transcript: Transcript, change: Change) -> str:
    """Return a document with a changed list; each kept entry keeps the text before it."""
    text, (begin, end) = transcript.text, transcript.inner
    spans = [(record.start, record.end) for record in transcript.records]
    return text[:begin] + join_pieces(text, begin, end, spans, _make_pieces(transcript, change)) + text[end:]


def _make_pieces(transcript: Transcript, change: Change) -> Iterator[JsonPiece]:
    text, records = transcript.text, transcript.records
    for at, record in enumerate(records):
        yield from (JsonPiece("", dump_json(value)) for value in change.inserted.get(at, ()))
        if at not in change.dropped:
            yield JsonPiece(
                text[records[at - 1].end : record.start] if at else "", _rewrite_entry(transcript, record, change)
            )
    yield from (JsonPiece("", dump_json(value)) for value in change.inserted.get(len(records), ()))


def _rewrite_entry(transcript: Transcript, record: Record, change: Change) -> str:
    patches = change.patches.get(record.at, ())
    if not patches:
        return transcript.get_raw(record)
    if transcript.syntax == "marked":
        return chatml.patch_message(record.value, patches)
    return patch_text(transcript.text, record.start, patches)


def _rewrite_lines(transcript: Transcript, change: Change) -> str:
    """Return changed lines or marked messages; blank lines remain in place."""
    text, records = transcript.text, transcript.records
    end = _find_line_ending(text)
    parts, at = [], 0
    for record in records:
        parts.append(text[at : record.start])
        parts += [_dump_entry(transcript, value) + end for value in change.inserted.get(record.at, ())]
        at = _find_next_line(text, record.end)
        if record.at not in change.dropped:
            parts += [_rewrite_entry(transcript, record, change), text[record.end : at]]
    body = "".join([*parts, text[at:]])
    new = [_dump_entry(transcript, value) for value in change.inserted.get(len(records), ())]
    return body + _make_tail(body, new, end, ended=text.endswith("\n"))


def _find_line_ending(text: str) -> str:
    """Return the line ending of the first line."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def _find_next_line(text: str, end: int) -> int:
    """Return the start of the line after an entry, or the end of the entry if more text follows on its line."""
    at = end
    while text[at : at + 1] in (" ", "\t", "\r"):
        at += 1
    return at + 1 if text[at : at + 1] == "\n" else end


def _make_tail(body: str, new: Sequence[str], end: str, *, ended: bool) -> str:
    """Return the entries inserted at the end, on separate lines.

    The last one gets a line ending if the text ``ended`` with one.
    """
    if not new:
        return ""
    before = "" if body.endswith("\n") or not body.strip("\ufeff") else end
    return before + end.join(new) + (end if ended else "")


def _dump_entry(transcript: Transcript, value: JsonValue) -> str:
    return chatml.dump_message(value) if transcript.syntax == "marked" else dump_json(value)


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
