"""Making a workspace of a directory."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from ctxkit.core.lint.assemble import Listing, Wanted, assemble
from ctxkit.core.trouble import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ctxkit.core.lint.workspace import Workspace
    from ctxkit.core.tokenizer import Tokenizer

MOST_BYTES = 16 << 20
"""Bytes of the largest file that is read: no agent loads a larger one."""
MOST_TEXT = 64 << 20
"""Bytes of all files together: more is no workspace of instructions, and would not fit into memory."""
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def gather(
    root: str,
    tokens: Tokenizer,
    wanted: Wanted | None = None,
    asked: tuple[str, ...] = (),
    seen: Callable[[int], None] | None = None,
    skipped: Callable[[str, str], None] | None = None,
) -> Workspace:
    """Return the workspace in a directory; raises Malformed if it is too large.

    ``asked`` are files in it that are linted whatever their names; ``seen`` is told the bytes of each that is read,
    ``skipped`` the path of each that is too large, and why.
    """
    from ctxkit.engines.workspace.git import IgnoredPaths, history
    from ctxkit.engines.workspace.git_process import Git
    from ctxkit.engines.workspace.walk import walk

    git = Git(root)
    found = walk(root, git)
    listing = Listing(found.paths, found.links, found.broken, asked)
    if found.repository:
        listing = listing._replace(ignored=IgnoredPaths(git, root), history=history(git, root))
    return assemble(listing, _Reader(root, seen, skipped), tokens, wanted or Wanted())


class _Reader:
    """Read files of a workspace, and count what is read."""

    def __init__(
        self, root: str, seen: Callable[[int], None] | None, skipped: Callable[[str, str], None] | None
    ) -> None:
        self._root = root
        self._seen = seen
        self._skipped = skipped
        self._sizes: dict[str, int] = {}
        self._total = 0

    def __call__(self, path: str) -> bytes | None:
        """Return the content of a file, None where it cannot be read or is too large."""
        data = _content(os.path.join(self._root, path))
        if data is None:
            return None
        if len(data) > MOST_BYTES:
            if self._skipped and path not in self._sizes:
                self._skipped(path, f"over {MOST_BYTES >> 20} MB")
            self._sizes[path] = 0
            return None
        if path not in self._sizes:
            self._sizes[path] = len(data)
            self._count(len(data))
        return data

    def _count(self, size: int) -> None:
        self._total += size
        if self._total > MOST_TEXT:
            raise Malformed(f"{self._root}: more than {MOST_TEXT >> 20} MB of text", hint="name files or directories")
        if self._seen:
            self._seen(size)


def _content(path: str) -> bytes | None:
    """Return the first bytes of a regular file, up to one more than is allowed; pipes and devices are not opened."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        handle = os.open(path, _FLAGS | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return None
    try:
        with os.fdopen(handle, "rb") as file:
            return (file.read(MOST_BYTES + 1) or b"") if stat.S_ISREG(os.fstat(handle).st_mode) else None
    except OSError:
        return None
