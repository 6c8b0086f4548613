"""The links of a tree after a change: gives every kept entry a kept parent."""

from collections.abc import Mapping, Sequence

from ctxkit.core.chat.branches.rewrite import Change
from ctxkit.core.chat.model.message import ChatMessage, EntryLink
from ctxkit.core.chat.model.record import Record
from ctxkit.core.chat.reading.transcript import Transcript


def relink_entries(
    transcript: Transcript, change: Change, path: Sequence[int] = (), after: Mapping[str, str] | None = None
) -> Change:
    """Return a change with the link patches that it needs.

    An entry whose parent is dropped gets the nearest kept ancestor as its parent; a parent that the file does not have
    stands for the entry before, as the active path has it. ``after`` maps the id of an entry to
    the id of the last entry inserted after it: the next entry on the way to the end of ``path`` becomes its child.
    """
    parents = _find_parents(transcript.records)
    gone = {link.id for at in change.dropped if (link := transcript.records[at].link) and link.id}
    ancestors = _find_ancestors(transcript.records[path[-1]], parents) if path else set()
    patches = {at: list(entry_patches) for at, entry_patches in change.patches.items()}
    for record in transcript.records:
        link = record.link
        if record.at in change.dropped or link is None or link.parent is None:
            continue
        current = parents.get(link.id) or link.parent
        parent = _find_staying_parent(current, parents, gone)
        parent = (after or {}).get(parent, parent) if link.id in ancestors else parent
        if parent != current:
            entry_patches = transcript.format.patch_parent(record.value, parent or None)
            patches.setdefault(record.at, []).extend(entry_patches)
    return change._replace(patches=patches)


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
