"""Read the conversation from which a session resumes: its snapshot, and what was appended after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ctxkit import session_wiring, wiring
from ctxkit.core.gate.content_ranges import read_rows
from ctxkit.core.session.history import describe_torn_line, read_lines
from ctxkit.core.text.shell import quote_path
from ctxkit.edge import conversations, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ctxkit.core.session.snapshot import Snapshot
    from ctxkit.edge.settings import Settings


class ResumedConversation(NamedTuple):
    """The conversation of a session: its content, its snapshot (None without one), and the number of later lines.

    ``format`` is the name of its format, "" if only its lines tell.
    """

    content: bytes
    snapshot: Snapshot | None
    appended: int
    format: str = ""


def read_resumed(settings: Settings, name: str) -> ResumedConversation | None:
    """Return the conversation from which a session resumes, None if it has neither a snapshot nor a history."""
    snapshot = session_wiring.snapshots(settings).find(name)
    lines = list(_read_new_lines(settings, name, snapshot.covers.lines if snapshot else 0))
    if snapshot is None:
        return ResumedConversation(b"".join(line + b"\n" for line in lines), None, len(lines)) if lines else None
    return ResumedConversation(_append_lines(snapshot, lines), snapshot, len(lines), snapshot.format)


def _read_new_lines(settings: Settings, name: str, covered: int) -> Iterator[bytes]:
    """Yield the lines of a history after those that a snapshot stands for."""
    histories = session_wiring.history(settings)
    history = histories.open(name)
    total = history.total if history else 0
    if total < covered:
        say.warn(f"the history of {name} has {total:,} lines, and had {covered:,} when its snapshot was saved")
    if history is None or total <= covered:
        return
    for line in read_lines(read_rows(history, covered + 1, total), wiring.parse_json):
        if line.complete:
            yield line.data
        else:
            say.warn(describe_torn_line(line, quote_path(histories.path(name))))


def _append_lines(snapshot: Snapshot, lines: list[bytes]) -> bytes:
    """Return a snapshot with what came after it; one that nothing came after is not even read."""
    if not lines:
        return snapshot.content
    from ctxkit.core.session.snapshot import append_lines

    return append_lines(
        conversations.parse_conversation(snapshot.content, f"the snapshot of {snapshot.session}", snapshot.format),
        lines,
    )
