"""List the files of a project, and read them for the linter and for maps."""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
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
from ctxkit.core.errors import CtxkitError, MalformedInputError, MissingInputError
from ctxkit.core.lint.document.size import HINT
from ctxkit.core.lint.loading.assemble import ProjectListing, WorkspaceOptions, assemble_workspace
from ctxkit.core.text.quantity import format_size
from ctxkit.system.own_files import is_temporary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ctxkit.core.lint.document.workspace import Workspace
    from ctxkit.core.tokens.vocabulary import Tokenizer
    from ctxkit.engines.workspace.git import Git

    Scan = Callable[[str, bytes], RepositoryFile]
    ShareItems = Callable[[Callable[[int], object], dict[int, int]], Iterable[tuple[int, object]]]

SKIPPED = frozenset(
    (
        *(".git", ".hg", ".svn", ".jj", "node_modules", "bower_components", "vendor", "third_party", "__pycache__"),
        *(".venv", "venv", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".cache", ".gradle"),
        *("target", "dist", "build", "out", ".next", ".nuxt", ".svelte-kit", "coverage", "Pods", "DerivedData"),
    )
)
"""Directories that are skipped if git does not report ignored files."""
MOST_PATHS = 500_000
"""Maximum files of a workspace: Chromium has 450,000, and so many paths take 250 MB."""
MOST_LINKED = 100_000
"""Maximum paths behind symbolic links to directories: a hundred links to one directory repeat each of its files."""


class WalkResult(NamedTuple):
    """The contents of a directory, as relative paths with slashes.

    ``links`` maps each symbolic link to its target, an absolute path if that is a directory outside; ``broken`` links
    have no target or form a cycle. ``repository`` is whether git answered. ``modules`` are the directories of
    submodules, whose files git lists only there.
    """

    paths: list[str]
    links: dict[str, str]
    broken: tuple[str, ...]
    repository: bool
    modules: tuple[str, ...] = ()


def walk_directory(root: str, git: Git | None) -> WalkResult:
    """Return the regular files and the links in a directory, sorted; raise MalformedInputError if too many.

    Without ``git``, nothing is ignored except directories of tools.
    """
    git_names = _list_git_files(git) if git else None
    names = _check_names(root, _list_files(root) if git_names is None else git_names)
    paths: list[str] = []
    links: dict[str, str] = {}
    broken: list[str] = []
    modules: list[str] = []
    real = os.path.realpath(root)
    for name in sorted(names):
        full = os.path.join(root, name)
        mode = _read_mode(full)
        if stat.S_ISREG(mode):
            paths.append(name)
        elif stat.S_ISDIR(mode):
            modules.append(name.rstrip("/"))
        elif stat.S_ISLNK(mode):
            # The system follows at most 40 links in a chain; resolve only what it follows.
            target = os.path.realpath(full) if os.path.exists(full) else ""
            if not target:
                broken.append(name)
            elif target.startswith(os.path.join(real, "")):
                links[name] = os.path.relpath(target, real).replace(os.sep, "/")
            elif os.path.isdir(target):
                links[name] = target
            elif os.path.isfile(target):
                paths.append(name)  # a file outside is read through the link as a separate file
    linked = dict(_expand_links(links, paths, real))
    return WalkResult(paths, linked, tuple(broken), git_names is not None, tuple(modules))


def _read_mode(path: str) -> int:
    """Return the mode of a path itself, 0 if it does not exist or is too long."""
    try:
        return os.lstat(path).st_mode
    except (OSError, ValueError):
        return 0


def _check_names(root: str, names: Iterable[str]) -> set[str]:
    """Return the names inside the directory; raise MalformedInputError if there are too many.

    A forged git index can name files outside with "..".
    """
    kept: set[str] = set()
    for name in names:
        parts = name.split("/")
        if ".." not in parts and parts[0] and not is_temporary(parts[-1]):
            kept.add(name)
        if len(kept) > MOST_PATHS:
            raise MalformedInputError(f"{root}: more than {MOST_PATHS:,} files", hint="name a directory inside it")
    return kept


def _expand_links(links: dict[str, str], paths: list[str], real: str) -> list[tuple[str, str]]:
    """Return the links and the files behind links to directories, up to ``MOST_LINKED``."""
    expanded: list[tuple[str, str]] = []
    left = MOST_LINKED
    for link, target in links.items():
        expanded.append((link, target))
        if not os.path.isabs(target) and os.path.isdir(os.path.join(real, target)):
            behind = _find_below(f"{target}/", paths, left)
            left -= len(behind)
            expanded.extend((f"{link}/{path[len(target) + 1 :]}", path) for path in behind)
    return expanded


def _find_below(head: str, paths: list[str], most: int) -> list[str]:
    """Return the first ``most`` of the sorted paths that begin with a directory's name."""
    start = bisect_left(paths, head)
    end = bisect_left(paths, f"{head[:-1]}0")  # the character behind a slash
    return paths[start : min(end, start + most)]


def _list_git_files(git: Git) -> list[str] | None:
    """Return the files that git tracks or would track, or None if it cannot answer; do not enter submodules."""
    if not git.is_worktree():
        return None
    output = git.run("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    return [os.fsdecode(name) for name in output.data.split(b"\0") if name] if output.complete else None


def _list_files(root: str) -> Iterator[str]:
    """Yield the files and links below a directory, as deep as the system opens paths."""
    waiting = [""]
    while waiting:
        head = waiting.pop()
        try:
            with os.scandir(os.path.join(root, head)) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in SKIPPED:
                            waiting.append(f"{head}{entry.name}/")
                    elif entry.is_symlink():
                        if entry.name not in SKIPPED or not entry.is_dir():
                            yield f"{head}{entry.name}"
                    elif entry.is_file(follow_symlinks=False):
                        yield f"{head}{entry.name}"
        except OSError:
            continue


MOST_BYTES = 16 << 20
"""Maximum bytes of a file that is read: agents load no larger ones."""
_MOST_TEXT = 64 << 20
"""Maximum bytes of all files together; more is not a workspace of instructions, and may exceed memory."""
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


def read_workspace(
    root: str,
    tokens: Tokenizer,
    options: WorkspaceOptions | None = None,
    files: tuple[str, ...] = (),
    reports: ReadReports | None = None,
) -> Workspace:
    """Return the workspace of a directory; raise MalformedInputError if it or one of the ``files`` is too large.

    ``files`` are paths that are linted whatever their names.
    """
    from ctxkit.engines.workspace.git import Git, IgnoredPaths, RemovalHistory

    git, reports = Git(root), reports or ReadReports()
    walk_result = walk_directory(root, git)
    if git.is_late():
        reports.warn(f"{root}: git gave no answer in {git.seconds:g} s: its ignore rules and its history are not used")
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
    return assemble_workspace(listing, _FileReader(root, files, reports), tokens, options or WorkspaceOptions())


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
        reports: ReadReports,
    ) -> None:
        self._root, self._files, self._reports = root, files, reports
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
            if path not in self._sizes:
                self._reports.warn(f"{path} is over {MOST_BYTES >> 20} MB, and is skipped")
            self._sizes[path] = 0
            return None
        if path not in self._sizes:
            self._sizes[path] = len(data)
            self._add_size(len(data))
        return data

    def _add_size(self, size: int) -> None:
        self._total += size
        if self._total > _MOST_TEXT:
            raise MalformedInputError(
                f"{self._root}: more than {_MOST_TEXT >> 20} MB of text", hint="name files or directories"
            )
        self._reports.read(size)


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


_SOURCE_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_SOURCE_FLAGS |= getattr(os, "O_NOFOLLOW", 0)
_MOST_EXTENSIONLESS = 64 << 10
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


_NO_REPORTS = ReadReports()


def read_repository(
    root: str, scan: Scan, reports: ReadReports = _NO_REPORTS, limits: ReadLimits = LIMITS
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
    from ctxkit.engines.workspace.git import Git
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
        is_script = "." not in file.base and 0 < file.size <= _MOST_EXTENSIONLESS
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
            handle = os.open(os.path.join(self._root, path), _SOURCE_FLAGS)
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
