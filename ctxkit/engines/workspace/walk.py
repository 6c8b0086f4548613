"""List the files of a project: those that git tracks or does not ignore, else all except tool directories."""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from ctxkit.core.errors import MalformedInputError
from ctxkit.system.own_files import is_temporary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ctxkit.engines.workspace.git_process import Git

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
