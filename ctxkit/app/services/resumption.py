"""Read the conversation from which a session resumes: its snapshot, and what was appended after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit.app.services import engines, sessions
from ctxkit.core.session.history import HistoryExtent, describe_torn_line, read_lines
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import conversations, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctxkit.core.session.snapshot import Snapshot
    from ctxkit.edge.settings import Settings


class ResumedConversation(NamedTuple):
    """The conversation of a session: its content, its snapshot (None without one), and the number of later lines.

    ``format`` is the name of its format, "" if only its lines tell. ``extent`` is the part of the history that it
    stands for.
    """

    content: bytes
    snapshot: Snapshot | None
    appended: int
    format: str = ""
    extent: HistoryExtent = HistoryExtent()


def read_resumed(settings: Settings, name: str) -> ResumedConversation | None:
    """Return the conversation from which a session resumes, None if it has neither a snapshot nor a history."""
    snapshot = sessions.snapshots(settings).find(name)
    if snapshot is None:
        return read_history(settings, name)
    lines, extent = _read_new_lines(settings, name, snapshot.covers)
    return ResumedConversation(_append_lines(snapshot, lines), snapshot, len(lines), snapshot.format, extent)


def read_history(settings: Settings, name: str) -> ResumedConversation | None:
    """Return the whole history of a session, None if it has none."""
    lines, extent = _read_new_lines(settings, name, HistoryExtent())
    if not lines:
        return None
    return ResumedConversation(b"".join(line + b"\n" for line in lines), None, len(lines), extent=extent)


def _read_new_lines(settings: Settings, name: str, covers: HistoryExtent) -> tuple[list[bytes], HistoryExtent]:
    """Return the lines of a history after those that a snapshot stands for, and the extent of the history."""
    histories = sessions.history(settings)
    extent = histories.extent(name) or HistoryExtent()
    if extent.lines < covers.lines:
        say.warn(
            f"the history of {name} has {extent.lines:,} lines, and had {covers.lines:,} when its snapshot was saved"
        )
    if extent.lines <= covers.lines:
        return [], extent
    rows = enumerate(histories.read_after(name, covers, extent), covers.lines + 1)
    return list(_select_complete_lines(rows, quote_path(histories.path(name)))), extent


def _select_complete_lines(rows: Iterable[tuple[int, bytes]], path: str) -> Iterator[bytes]:
    for line in read_lines(rows, engines.parse_json):
        if line.complete:
            yield line.data
        else:
            say.warn(describe_torn_line(line, path))


def _append_lines(snapshot: Snapshot, lines: list[bytes]) -> bytes:
    """Return a snapshot with what came after it; one that nothing came after is not even read."""
    if not lines:
        return snapshot.content
    from ctxkit.core.session.snapshot import append_lines

    return append_lines(
        conversations.parse_conversation(snapshot.content, f"the snapshot of {snapshot.session}", snapshot.format),
        lines,
    )
