"""The files that were changed, removed and moved, newest first."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.call_effects import find_call_effects
from ctxkit.core.context.extract.certainty import MAX_PATH, find_missing_paths, find_reverted_paths, is_certain_change
from ctxkit.core.context.extract.classified_call import ClassifiedCall
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.shell import FileEffects
from ctxkit.core.context.extract.work_folder import find_work_folders, place_effects, read_work_folder

_TEMPORARY = re.compile(r"/(?:var/)?tmp/[^/]+$")
"""A file right in the directory of temporary files, such as a script that is used once."""
_CACHE = re.compile(
    r"(?:^|[/\\])(?:__pycache__|\.(?:pytest|mypy|ruff)_cache|\.cache|node_modules|\.next|\.DS_Store|[^/\\]+\.pyc)/?$"
)
"""A file or folder that tools make again."""
_THROW_AWAY = re.compile(
    r"(?:^|[/\\])(?:te?mp|scratchpad|\.git|__pycache__|\.(?:pytest|mypy|ruff)_cache|\.cache|node_modules|\.next"
    r"|tool-results|agent-transcripts|logs?|\.system_generated)(?:[/\\]|$)|(?:^|[/\\])tasks[/\\]\w+\.output$|\.(?:log|tmp|bak|pyc|pid|swp|DS_Store)$|(?:^|[/\\])nul$",
    re.IGNORECASE,
)
"""A temporary file, a log, or what tools and hosts make for themselves."""
FIRST_RANK = -3_000_000
"""Rank of items about files, which come before everything else."""
LIST_SIZES = (24, 12, 6, 3)
"""Numbers of files that a bullet may list; the largest that fits is used.

The newest come first. Of files that were changed long ago, it is less certain that they are still there, and the record
below the page lists them.
"""


class FileHistory(NamedTuple):
    """Files by effect, newest first, without duplicates.

    ``scratch`` are those that were created and removed again, ``uncertain`` the changed ones whose last change is not
    certain.
    """

    changed: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]
    scratch: tuple[str, ...] = ()
    uncertain: frozenset[str] = frozenset()


def trace_files(calls: Sequence[ClassifiedCall]) -> FileHistory:
    """Return the effects of calls on files; failed calls have none."""
    trace = _FileTrace()
    folders = find_work_folders(calls)
    for at, call in enumerate(calls):
        trace.add(at, call, place_effects(find_call_effects(call), folders.get(read_work_folder(call), "")))
    return trace.list_history()


class _FileTrace:
    """The files by effect, with the number of the call that had it, while calls are read in order."""

    def __init__(self) -> None:
        self._changed: dict[str, int] = {}
        self._removed: dict[str, int] = {}
        self._moved: dict[tuple[str, str], int] = {}
        self._scratch: dict[str, int] = {}
        self._read: set[str] = set()
        self._created: set[str] = set()
        self._uncertain: set[str] = set()

    def add(self, at: int, call: ClassifiedCall, file_effects: FileEffects) -> None:
        """Add the effects of call number ``at``."""
        self._uncertain.update((*find_reverted_paths(call, self._changed), *find_missing_paths(call)))
        for path in file_effects.changed:
            self._change(at, call, path)
        for path in file_effects.removed:
            self._remove(at, path)
        for old, new in file_effects.moved:
            self._move(at, old, new)
        self._read.update(file_effects.read)

    def _change(self, at: int, call: ClassifiedCall, path: str) -> None:
        if not (path in self._changed or path in self._read or _is_edit(call.call.name)):
            self._created.add(path)
        self._changed[path] = at
        (self._uncertain.discard if is_certain_change(call, path) else self._uncertain.add)(path)
        for place in _list_folders(path) if self._removed else ():
            self._removed.pop(place, None)

    def _remove(self, at: int, path: str) -> None:
        gone = {other: at for other in self._changed if _is_removed(other, path)}
        own = [other for other in gone if other in self._created and f"/{other}".endswith(f"/{path}")]
        self._scratch.update(dict.fromkeys(own, at))
        if not own:
            self._removed.update(gone or {path: at})
        self._changed = {other: place for other, place in self._changed.items() if other not in gone}
        self._moved = {pair: place for pair, place in self._moved.items() if pair[1] != path}

    def _move(self, at: int, old: str, new: str) -> None:
        if old in self._changed and is_throw_away(old):  # it was written first under another name
            del self._changed[old]
            self._changed[new] = at
            return
        self._changed = {
            path: place for path, place in self._changed.items() if path == old or not _is_moved(path, old, new)
        }
        start = next((pair for pair in self._moved if pair[1] == old), None)
        if start is not None:
            del self._moved[start]
        if start is None or start[0] != new:  # else it is back in its place
            self._moved[start[0] if start else old, new] = at

    def list_history(self) -> FileHistory:
        """Return the files by effect, newest first."""
        return FileHistory(
            tuple(path for path in _drop_short_names(_sort_newest(self._changed)) if not _TEMPORARY.match(path)),
            tuple(path for path in _drop_short_names(_sort_newest(self._removed)) if not _CACHE.search(path)),
            tuple(_sort_newest(self._moved)),
            tuple(path for path in _sort_newest(self._scratch) if path not in self._changed),
            frozenset(path for path in self._uncertain if path in self._changed),
        )


def _is_edit(name: str) -> bool:
    """Return whether the name of a tool says that it changes a file that exists."""
    return any(word in name.lower() for word in ("edit", "replace", "patch", "insert"))


def _is_removed(path: str, removed: str) -> bool:
    """Return whether a path names a removed file, or one in a removed folder; either may be relative.

    >>> _is_removed("/app/src/a.py", "src"), _is_removed("/app/src/a.py", "a.py"), _is_removed("src/a.py", "rc")
    (True, True, False)
    """
    path, removed = (name.replace("\\", "/").removeprefix("./").rstrip("/") for name in (path, removed))
    return bool(removed) and f"/{removed.lstrip('/')}/" in f"/{path.lstrip('/')}/"


def _is_moved(path: str, old: str, new: str) -> bool:
    """Return whether an absolute path names a file that a relative name moved, or one in a folder that it moved.

    A path within the target may be that of the file after the move.

    >>> _is_moved("/app/src/a.py", "src/", "lib"), _is_moved("src/a.py", "a.py", "b.py")
    (True, False)
    """
    is_relative = old[:1] not in ("/", "~") and old[1:2] != ":" and not old.startswith("..")
    is_absolute = path[:1] in ("/", "$") or path[1:2] == ":"
    return is_relative and is_absolute and _is_removed(path, old) and not _is_removed(path, new)


def _sort_newest(places: dict) -> list:  # type: ignore[type-arg]
    return sorted(places, key=lambda key: -places[key])


def _drop_short_names(paths: Sequence[str]) -> tuple[str, ...]:
    """Return paths without those that are the end of a longer path; of two spellings of a path, only the first stays.

    >>> _drop_short_names(["C:/app/a.py", "C:\\\\app\\\\a.py", "a.py"])
    ('C:/app/a.py',)
    """
    names: dict[str, str] = {}
    for path in paths:
        names.setdefault(path.replace("\\", "/").removeprefix("./"), path)
    ends = {name[at + 1 :] for name in names for at, sign in enumerate(name) if sign == "/"}
    return tuple(path for name, path in names.items() if name not in ends)


def find_file_items(calls: Sequence[ClassifiedCall]) -> Iterator[PageItem]:
    """Yield page items about files; temporary ones are left out unless the work is only about them.

    Files that were only read, that moved or that are gone are not there: most were of use for one step only, and a move
    may have been undone. Nor are files whose change is not certain.
    """
    history = trace_files(calls)
    certain = tuple(path for path in history.changed if path not in history.uncertain)
    history = _drop_throw_away(history._replace(changed=certain))
    if history.changed:
        yield PageItem("Facts", make_list_forms("Changed", history.changed), 850, FIRST_RANK)


def _drop_throw_away(history: FileHistory) -> FileHistory:
    if history.changed and all(map(is_throw_away, history.changed)):
        return history
    gone = frozenset(old.removeprefix("./").rstrip("/") for old, _ in history.moved)
    changed = tuple(path for path in history.changed if not (is_throw_away(path) or _is_in(path, gone)))
    return history._replace(changed=changed)


def _is_in(path: str, folders: frozenset[str]) -> bool:
    """Return whether a path, or a folder that contains it, is one of some."""
    return bool(folders) and any(place in folders for place in _list_folders(path.removeprefix("./")))


def _list_folders(path: str) -> list[str]:
    """Return a path and the folders that contain it."""
    return [path, *(path[:at] for at, sign in enumerate(path[:MAX_PATH]) if sign == "/")]


def is_throw_away(path: str) -> bool:
    """Return whether a file is temporary, a log, or made by a tool for itself.

    >>> is_throw_away("/tmp/run/out.txt"), is_throw_away("src/template.py")
    (True, False)
    """
    return bool(_THROW_AWAY.search(path))


def make_list_forms(label: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Return ever shorter lists of paths: all, all without their common folder, then only the first ones."""
    return tuple(_make_forms(label, paths))


def _make_forms(label: str, paths: Sequence[str]) -> Iterator[str]:
    plain = _format_list(label, paths)
    if len(paths) <= LIST_SIZES[0]:
        yield plain
    folder = _find_shared_folder(paths)
    within = paths if not folder else [path.removeprefix(folder) for path in paths]
    name = f"{label} in {folder}" if folder else label
    if folder:
        yield _format_list(name, within)
    for size in LIST_SIZES:
        if size < len(paths):
            yield f"{_format_list(name, within[:size])[:-1]} and others."


def _format_list(label: str, paths: Sequence[str]) -> str:
    return f"{label}: {', '.join(paths)}."


def _find_shared_folder(paths: Sequence[str]) -> str:
    """Return the folder, with its slash, whose omission from the paths saves the most; empty if none saves anything."""
    saved: dict[str, int] = {}
    for path in paths:
        at = path.find("/", 1)
        while at > 0:
            saved[path[: at + 1]] = saved.get(path[: at + 1], 0) + at + 1
            at = path.find("/", at + 1)
    if any(path[:1] not in ("/", "~") and path[1:2] != ":" for path in paths):  # they would seem to be in the folder
        return ""
    if any(" -> " in path for path in paths):
        return ""
    best = max(saved, key=lambda folder: saved[folder] - 2 * len(folder), default="")
    return best if best and saved[best] > 2 * len(best) + 8 else ""
