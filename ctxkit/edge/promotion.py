"""Read the summaries of snapshots, and write promoted lines to the memory of a workspace."""

from __future__ import annotations

import os
from difflib import unified_diff
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.errors import CtxkitError, InputOutputError
from ctxkit.core.lint.promotion import MEMORY, Promotion, append_bullets, find_memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxkit.core.lint.document.workspace import Workspace
    from ctxkit.core.session.history import Snapshot
    from ctxkit.core.summary.template import SummaryPage


class MemoryChange(NamedTuple):
    """The memory of a workspace before and after a promotion; ``path`` is relative to the workspace."""

    path: str
    before: bytes
    after: bytes

    def diff(self) -> list[str]:
        """Return the change as a patch for git apply."""
        old, new = (data.decode("utf-8", "surrogateescape").splitlines(keepends=True) for data in self[1:])
        source = f"a/{self.path}" if self.before else "/dev/null"
        lines = list(unified_diff(old, new, source, f"b/{self.path}"))
        return [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]


def read_summary(snapshot: Snapshot) -> SummaryPage | None:
    """Return the newest summary in the conversation of a snapshot, or None if there is none."""
    from ctxkit.core.summary.frame import is_summary, split_prefix, unframe_page
    from ctxkit.core.summary.template import parse_page
    from ctxkit.edge.conversations import parse_conversation

    try:
        transcript = parse_conversation(snapshot.content, snapshot.session, snapshot.format)
    except CtxkitError:  # a snapshot of another version: it proposes nothing
        return None
    page = ""
    for record in transcript.records:
        prefix = split_prefix(record)
        text = prefix.page if prefix else record.words if is_summary(record) else ""
        page = unframe_page(text) or page
    return parse_page(page) if page else None


def change_memory(workspace: Workspace, promotions: Sequence[Promotion]) -> MemoryChange:
    """Return the change of the workspace's memory that appends the promoted lines."""
    memory = find_memory(workspace)
    bullets = [promotion.text for promotion in promotions]
    if memory is None:
        return MemoryChange(MEMORY, b"", append_bullets("", bullets).encode("utf-8", "surrogateescape"))
    after = append_bullets(memory.text, bullets, memory.newline)
    return MemoryChange(memory.path, memory.encode(), memory.encode(after))


def write_memory(root: str, change: MemoryChange) -> None:
    """Replace the memory atomically, unless its content has changed meanwhile."""
    from ctxkit.edge.atomic_file import OutsideRoot, collect_beside, open_rooted_path, replace_file

    path = os.path.join(root, change.path)
    try:
        with open_rooted_path(root, change.path) as place:
            collect_beside(place)
            if _read_file(path) != change.before:
                raise InputOutputError(f"{path} changed meanwhile, and is not written")
            replace_file(place, change.after)
    except OutsideRoot as reason:
        raise InputOutputError(f"{path}: {reason}") from None
    except OSError as error:
        raise InputOutputError(f"{path}: {error.strerror}") from None


def _read_file(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""
