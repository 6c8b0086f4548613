"""The branch of a session that its agent would send next: from the newest entry back to the root."""

from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.chat.message import Kept, Link
from ctxkit.core.count.row import Row


class Placed(NamedTuple):
    """Hold an entry of a session: its place, what it takes if it is a message, which calls it makes and answers."""

    link: Link
    row: Row | None = None
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    kept: Kept | None = None


def branch(placed: Sequence[Placed]) -> list[Row]:
    """Return the messages of the newest branch, in the order of the file, after its last compaction."""
    entries = _main(placed)
    chosen = _path(entries)
    chosen |= _companions(entries, chosen)
    return _after_compaction(entries, sorted(chosen))


def _main(placed: Sequence[Placed]) -> Sequence[Placed]:
    """Leave out other agents' conversations, unless there is nothing else."""
    if any(entry.row and not entry.link.side for entry in placed):
        return [entry for entry in placed if not entry.link.side]
    return placed


def _path(entries: Sequence[Placed]) -> set[int]:
    """Return the entries from the last message back; one whose parent is not told follows the one before it.

    Where no entry has a parent at all, the file is no tree.
    """
    linked = any(entry.link.parent for entry in entries)
    places = {entry.link.id: at for at, entry in enumerate(entries) if entry.link.id}
    at = next((at for at in range(len(entries) - 1, -1, -1) if entries[at].row), -1)
    chosen: set[int] = set()
    while at >= 0 and at not in chosen:
        chosen.add(at)
        parent = entries[at].link.parent
        if parent == "" and linked:
            break
        at = places.get(parent, at - 1) if parent else at - 1
    return chosen


def _companions(entries: Sequence[Placed], chosen: set[int]) -> set[int]:
    """Return what belongs to the branch though it hangs beside it: parts of its responses, results of its calls."""
    groups = {entries[at].link.group for at in chosen} - {""}
    found = {at for at, entry in enumerate(entries) if entry.row and entry.link.group in groups}
    calls = {call for at in chosen | found for call in entries[at].calls}
    calls -= {answer for at in chosen for answer in entries[at].answers}
    for at, entry in enumerate(entries):
        if at not in chosen and entry.answers and calls.issuperset(entry.answers):
            found.add(at)
            calls.difference_update(entry.answers)
    return found


def _after_compaction(entries: Sequence[Placed], chosen: Sequence[int]) -> list[Row]:
    """Return the rows of a branch: of one that was compacted the last summary, and what it kept."""
    last = next((at for at in reversed(chosen) if entries[at].kept), -1)
    summary, kept = (entries[last].row, entries[last].kept) if last >= 0 else (None, None)
    if summary is None or kept is None:
        return [row for at in chosen if (row := entries[at].row)]
    named = next((at for at in chosen if kept.id and entries[at].link.id == kept.id), last)
    start = kept.place if kept.place is not None else named
    rows = [row for at in chosen if at >= start and not entries[at].kept and (row := entries[at].row)]
    return [summary, *rows]
