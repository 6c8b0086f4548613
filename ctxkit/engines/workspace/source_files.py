"""Read the source files of a directory for a map."""

from __future__ import annotations

import os
import stat
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.brief.repository.file_scan import guess_language
from ctxkit.core.brief.repository.repository_file import (
    RepositoryFile,
    Role,
    find_role,
    from_plain,
    is_readme,
    to_plain,
)
from ctxkit.core.errors import CtxkitError, MissingInputError
from ctxkit.core.text.quantity import format_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Scan = Callable[[str, bytes], RepositoryFile]
    ShareItems = Callable[[Callable[[int], object], dict[int, int]], Iterable[tuple[int, object]]]

_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_FLAGS |= getattr(os, "O_NOFOLLOW", 0)
MOST_EXTENSIONLESS = 64 << 10
"""Maximum bytes of a file without an extension that is read to find its language."""
LATE = "past the time limit"


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


class ReadReports(NamedTuple):
    """Functions that are told of the progress, and a function that makes processes share work.

    ``listed`` gets the number of paths, ``read`` the bytes of each file that was read, ``scanned`` those of each file
    whose definitions are known. ``share`` yields answers of other processes for items of given sizes, by index, and
    may leave out items.
    """

    listed: Callable[[int], object] = int
    read: Callable[[int], object] = int
    scanned: Callable[[int], object] = int
    warn: Callable[[str], object] = str
    share: ShareItems = lambda *_: ()


NO_REPORTS = ReadReports()


def read_repository(
    root: str, scan: Scan, reports: ReadReports = NO_REPORTS, limits: ReadLimits = LIMITS
) -> list[RepositoryFile]:
    """Return the regular files of a directory in the order of their paths, each source file scanned by ``scan``.

    Links are not followed. Tests and generated files are read last, so that a limit leaves them out first. The order
    and the content of the result are the same in any number of processes. Raise MissingInputError if the directory
    cannot be read, MalformedInputError if it has too many files.
    """
    paths = _list_paths(root, reports.warn)
    reports.listed(len(paths))
    reader = _SourceReader(root, reports.read, limits)
    described = filter(None, map(reader.describe, paths))
    order = sorted(described, key=lambda file: (file.role, file.path.count("/"), file.path))
    files = [reader.read(file) for file in order]
    scanner = _Scanner(files, reader.contents, scan, limits)
    return sorted(scanner.scan_all(reports), key=lambda file: (file.directory, file.base))


def _list_paths(root: str, warn: Callable[[str], object]) -> Sequence[str]:
    """Return the paths that git lists; all files of a directory that git ignores or does not know."""
    from ctxkit.engines.workspace.git_process import Git
    from ctxkit.engines.workspace.walk import walk_directory

    try:
        os.scandir(root).close()
    except OSError as error:
        raise MissingInputError(f"{root}: {error.strerror}") from None
    git = Git(root)
    listing = walk_directory(root, git)
    if git.is_late():
        warn(f"{root}: git gave no answer in {git.seconds:g} s: its ignore rules are not used")
    return listing.paths or walk_directory(root, None).paths


class _SourceReader:
    """Reads files below a directory, within limits of size; ``contents`` has the bytes of those to scan, by path."""

    def __init__(self, root: str, on_read: Callable[[int], object], limits: ReadLimits) -> None:
        self._root, self._on_read, self._limits = root, on_read, limits
        self._real = os.path.realpath(root)
        self._inside: dict[str, bool] = {}
        self._size = 0
        self.contents: dict[str, bytes] = {}

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
        """Read a file if its definitions are needed; return it, with why it was not read if a limit leaves it out."""
        is_script = "." not in file.base and 0 < file.size <= MOST_EXTENSIONLESS
        if not (file.language or is_script or is_readme(file.path)) or not file.size:
            return file
        reason = self._find_limit(file)
        data = None if reason else self._read_content(file.path)
        if data is None:
            return file._replace(skipped=(reason or "not readable") if file.language else "")
        self._size += len(data)
        self._on_read(len(data))
        self.contents[file.path] = data
        return file

    def _find_limit(self, file: RepositoryFile) -> str:
        """Return which limit leaves a file out, "" if none does."""
        limits = self._limits
        if file.role is Role.DERIVED:
            return "vendored or generated"
        if file.size > limits.file_bytes:
            return f"over {format_size(limits.file_bytes)}"
        is_past = self._size + file.size > limits.total_bytes
        return f"past the first {format_size(limits.total_bytes)}" if is_past else ""

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


class _Scanner:
    """Finds the definitions of files within the time limit, which each process has for what it scans."""

    def __init__(
        self, files: Sequence[RepositoryFile], contents: dict[str, bytes], scan: Scan, limits: ReadLimits
    ) -> None:
        self._files, self._contents, self._scan, self._limits = files, contents, scan, limits
        self._size = 0
        self._began: float | None = None

    def scan_all(self, reports: ReadReports) -> Iterator[RepositoryFile]:
        """Yield all files, scanned in other processes as far as those answer, else here."""
        sizes = {
            index: len(self._contents[file.path])
            for index, file in enumerate(self._files)
            if file.path in self._contents
        }
        answers: dict[int, RepositoryFile] = {}
        for index, answer in reports.share(lambda index: to_plain(self._scan_file(index)), sizes):
            if isinstance(answer, CtxkitError):
                raise answer
            answers[index] = from_plain(answer)
            reports.scanned(sizes[index])
        for index, file in enumerate(self._files):
            if index in answers or index not in sizes:
                yield answers.get(index, file)
            else:
                yield self._scan_file(index)
                reports.scanned(sizes[index])

    def _scan_file(self, index: int) -> RepositoryFile:
        """Return a file with its definitions, or with the time limit as the reason why it has none."""
        file = self._files[index]
        if self._is_late():
            return file._replace(skipped=LATE if file.language else "")
        data = self._contents[file.path]
        self._size += len(data)
        return self._scan(file.path, data)._replace(size=file.size)

    def _is_late(self) -> bool:
        """Return whether this process has scanned for too long."""
        if self._began is None:  # a forked process begins anew
            self._began = thread_time()
        seconds = self._limits.seconds + self._limits.seconds_per_mb * self._size / 1e6
        return thread_time() - self._began > seconds
