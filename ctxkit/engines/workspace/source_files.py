"""Read the source files of a directory for a map."""

from __future__ import annotations

import os
import stat
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.brief.repository.file_roles import Role, find_role, is_readme
from ctxkit.core.brief.repository.file_scan import guess_language
from ctxkit.core.brief.repository.repository_file import RepositoryFile
from ctxkit.core.errors import MissingInputError
from ctxkit.core.text.measure import format_size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_FLAGS |= getattr(os, "O_NOFOLLOW", 0)
MOST_EXTENSIONLESS = 64 << 10
"""Maximum bytes of a file without an extension that is read to find its language."""


class ReadLimits(NamedTuple):
    """Limits of what is read: bytes of a file, bytes of all files, and processor time in seconds.

    The time is a constant and an amount for each MB that was read: the worker process gets twice as much.
    """

    file_bytes: int = 1 << 20
    total_bytes: int = 16 << 20
    seconds: float = 5.0
    seconds_per_mb: float = 1.0


LIMITS = ReadLimits()
"""Limits of a map: 16 MB take about 7 s, and most projects of 2,000 files have less source."""


def read_repository(
    root: str,
    scan: Callable[[str, bytes], RepositoryFile],
    on_read: Callable[[int], None] | None = None,
    warn: Callable[[str], None] | None = None,
    limits: ReadLimits = LIMITS,
    on_list: Callable[[int], None] | None = None,
) -> list[RepositoryFile]:
    """Return the regular files of a directory in the order of their paths, each source file scanned by ``scan``.

    Links are not followed. Tests and generated files are read last, so that a limit leaves them out first. ``on_list``
    gets the number of paths, ``on_read`` the size in bytes of each file. Raise MissingInputError if the directory
    cannot be read, MalformedInputError if it has too many files.
    """
    paths = _list_paths(root, warn)
    if on_list:
        on_list(len(paths))
    reader = _SourceReader(root, scan, on_read, limits)
    files = [reader.describe(path) for path in paths]
    order = sorted((file for file in files if file), key=lambda file: (file.role, file.path.count("/"), file.path))
    return sorted((reader.read(file) for file in order), key=lambda file: (file.directory, file.base))


def _list_paths(root: str, warn: Callable[[str], None] | None) -> Sequence[str]:
    """Return the paths that git lists; all files of a directory that git ignores or does not know."""
    from ctxkit.engines.workspace.git_process import Git
    from ctxkit.engines.workspace.walk import walk_directory

    try:
        os.scandir(root).close()
    except OSError as error:
        raise MissingInputError(f"{root}: {error.strerror}") from None
    git = Git(root)
    listing = walk_directory(root, git)
    if warn and git.is_late():
        warn(f"{root}: git gave no answer in {git.seconds:g} s: its ignore rules are not used")
    return listing.paths or walk_directory(root, None).paths


class _SourceReader:
    """Reads files below a directory, within limits of size and time."""

    def __init__(
        self,
        root: str,
        scan: Callable[[str, bytes], RepositoryFile],
        on_read: Callable[[int], None] | None,
        limits: ReadLimits,
    ) -> None:
        self._root, self._scan, self._on_read, self._limits = root, scan, on_read, limits
        self._real = os.path.realpath(root)
        self._inside: dict[str, bool] = {}
        self._size = 0
        self._began = thread_time()

    def describe(self, path: str) -> RepositoryFile | None:
        """Return a file that is not read yet, None if it is not a regular file in the directory."""
        try:
            status = os.lstat(os.path.join(self._root, path))
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode) or not self._is_inside(os.path.dirname(path)):
            return None
        language = guess_language(path)
        return RepositoryFile(path, status.st_size, find_role(path, language), language)

    def _is_inside(self, directory: str) -> bool:
        """Return whether no part of a path is a link; a forged git index can name files behind one."""
        if directory not in self._inside:
            expected = os.path.join(self._real, directory) if directory else self._real
            self._inside[directory] = os.path.realpath(os.path.join(self._root, directory)) == expected
        return self._inside[directory]

    def read(self, file: RepositoryFile) -> RepositoryFile:
        """Return a file with its definitions, or as it is if it is not source, or with why it was not read."""
        is_script = "." not in file.base and 0 < file.size <= MOST_EXTENSIONLESS
        if not (file.language or is_script or is_readme(file.path)) or not file.size:
            return file
        reason = self._find_limit(file)
        data = b"" if reason else self._read_content(file.path)
        if data is None:
            reason = "not readable"
        if reason or data is None:
            return file._replace(skipped=reason if file.language else "")
        self._size += len(data)
        if self._on_read:
            self._on_read(len(data))
        return self._scan(file.path, data)._replace(size=file.size)

    def _find_limit(self, file: RepositoryFile) -> str:
        """Return which limit leaves a file out, "" if none does."""
        limits = self._limits
        if file.role is Role.DERIVED:
            return "vendored or generated"
        if file.size > limits.file_bytes:
            return f"over {format_size(limits.file_bytes)}"
        if self._size + file.size > limits.total_bytes:
            return f"past the first {format_size(limits.total_bytes)}"
        seconds = limits.seconds + limits.seconds_per_mb * self._size / 1e6
        return "past the time limit" if thread_time() - self._began > seconds else ""

    def _read_content(self, path: str) -> bytes | None:
        """Return a regular file's content, at most as much as the limit; None if it cannot be read."""
        try:
            handle = os.open(os.path.join(self._root, path), _FLAGS)
        except (OSError, ValueError):
            return None
        try:
            with os.fdopen(handle, "rb") as file:
                is_regular = stat.S_ISREG(os.fstat(handle).st_mode)
                return (file.read(self._limits.file_bytes) or b"") if is_regular else None
        except OSError:
            return None
