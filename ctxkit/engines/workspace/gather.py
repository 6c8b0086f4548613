"""Read a workspace from a directory."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from ctxkit.core.errors import MalformedInputError
from ctxkit.core.lint.document.size import HINT
from ctxkit.core.lint.loading.assemble import ProjectListing, WorkspaceOptions, assemble_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ctxkit.core.lint.document.workspace import Workspace
    from ctxkit.core.tokens.vocabulary import Tokenizer

MOST_BYTES = 16 << 20
"""Maximum bytes of a file that is read: agents load no larger ones."""
MOST_TEXT = 64 << 20
"""Maximum bytes of all files together; more is not a workspace of instructions, and may exceed memory."""
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def read_workspace(
    root: str,
    tokens: Tokenizer,
    options: WorkspaceOptions | None = None,
    files: tuple[str, ...] = (),
    on_read: Callable[[int], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Workspace:
    """Return the workspace of a directory; raise MalformedInputError if it or one of the ``files`` is too large.

    ``files`` are paths that are linted whatever their names. ``on_read`` gets the size in bytes of each file.
    ``warn`` gets a sentence for each file that is too large, and one if git gives no answer.
    """
    from ctxkit.engines.workspace.git import IgnoredPaths, RemovalHistory
    from ctxkit.engines.workspace.git_process import Git
    from ctxkit.engines.workspace.walk import walk_directory

    git = Git(root)
    walk_result = walk_directory(root, git)
    if warn and git.is_late():
        warn(f"{root}: git gave no answer in {git.seconds:g} s: its ignore rules and its history are not used")
    listing = ProjectListing(
        walk_result.paths,
        walk_result.links,
        walk_result.broken,
        files,
        is_outside=_make_outside_check(root),
        location=os.path.abspath(root).replace(os.sep, "/"),
    )
    if walk_result.repository:
        history = RemovalHistory(git, root)
        listing = listing._replace(
            is_ignored=IgnoredPaths(git, root, walk_result.modules),
            history=history,
            history_problem=history.find_problem,
            removed_named=history.list_named,
        )
    return assemble_workspace(listing, _FileReader(root, files, on_read, warn), tokens, options or WorkspaceOptions())


def _make_outside_check(root: str) -> Callable[[str], bool]:
    """Return a function that says whether a link leads from a path out of a directory."""
    real = os.path.join(os.path.realpath(root), "")
    return lambda path: not os.path.realpath(os.path.join(real, path)).startswith(real)


class _FileReader:
    """Reads files of a workspace, and limits their total size."""

    def __init__(
        self,
        root: str,
        files: Sequence[str],
        on_read: Callable[[int], None] | None,
        warn: Callable[[str], None] | None,
    ) -> None:
        self._root = root
        self._files = files
        self._on_read = on_read
        self._warn = warn
        self._sizes: dict[str, int] = {}
        self._total = 0

    def __call__(self, path: str) -> bytes | None:
        """Return the content of a file, or None if it cannot be read or is too large."""
        data = _read_content(os.path.join(self._root, path))
        if data is None:
            return None
        if len(data) > MOST_BYTES:
            if path in self._files:
                raise MalformedInputError(f"{path}: it is larger than {MOST_BYTES >> 20} MB", hint=HINT)
            if self._warn and path not in self._sizes:
                self._warn(f"{path} is over {MOST_BYTES >> 20} MB, and is skipped")
            self._sizes[path] = 0
            return None
        if path not in self._sizes:
            self._sizes[path] = len(data)
            self._add_size(len(data))
        return data

    def _add_size(self, size: int) -> None:
        self._total += size
        if self._total > MOST_TEXT:
            raise MalformedInputError(
                f"{self._root}: more than {MOST_TEXT >> 20} MB of text", hint="name files or directories"
            )
        if self._on_read:
            self._on_read(size)


def _read_content(path: str) -> bytes | None:
    """Return a regular file's content, at most one byte over the limit; do not open pipes and devices."""
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
