"""The files that were changed, removed and moved, newest first."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.call_effects import find_call_effects
from ctxkit.core.context.extract.certainty import find_missing, find_reverted, is_certain_change
from ctxkit.core.context.extract.classified_call import ClassifiedCall
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.work_folder import find_work_folders, place_effects, read_work_folder

_TEMPORARY = re.compile(r"/(?:var/)?tmp/[^/]+$")
"""A file right in the directory of temporary files, such as a script that is used once."""
_CACHE = re.compile(
    r"(?:^|[/\\])(?:__pycache__|\.(?:pytest|mypy|ruff)_cache|\.cache|node_modules|\.next|\.DS_Store|[^/\\]+\.pyc)/?$"
)
"""A file or folder that tools make again."""
_THROW_AWAY = re.compile(
    r"(?:^|[/\\])(?:te?mp|scratchpad|\.git|__pycache__|\.(?:pytest|mypy|ruff)_cache|\.cache|node_modules|\.next"
    r"|tool-results|logs?|\.system_generated)(?:[/\\]|$)|(?:^|[/\\])tasks[/\\]\w+\.output$|\.(?:log|tmp|bak|pyc|pid|swp|DS_Store)$|(?:^|[/\\])nul$",
    re.IGNORECASE,
)
"""A temporary file, a log, or what tools and hosts make for themselves."""
MAX_PATH = 1_000
"""Maximum characters of a path whose folders are compared."""
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
    changed: dict[str, int] = {}
    removed: dict[str, int] = {}
    moved: dict[tuple[str, str], int] = {}
    read: set[str] = set()
    created: set[str] = set()
    scratch: dict[str, int] = {}
    uncertain: set[str] = set()
    folders = find_work_folders(calls)
    for at, call in enumerate(calls):
        file_effects = place_effects(find_call_effects(call), folders.get(read_work_folder(call), ""))
        uncertain.update((*find_reverted(call, changed), *find_missing(call)))
        for path in file_effects.changed:
            created.update({path} if not (path in changed or path in read or _is_edit(call.call.name)) else ())
            changed[path] = at
            (uncertain.discard if is_certain_change(call, path) else uncertain.add)(path)
            for place in _list_folders(path) if removed else ():
                removed.pop(place, None)
        for path in file_effects.removed:
            gone = {other: at for other in changed if _is_removed(other, path)}
            own = [other for other in gone if other in created and f"/{other}".endswith(f"/{path}")]
            scratch.update(dict.fromkeys(own, at))
            if not own:
                removed.update(gone or {path: at})
            changed = {other: place for other, place in changed.items() if other not in gone}
            moved = {pair: place for pair, place in moved.items() if pair[1] != path}
        for old, new in file_effects.moved:
            if old in changed and is_throw_away(old):  # it was written first under another name
                del changed[old]
                changed[new] = at
                continue
            changed = {path: place for path, place in changed.items() if path == old or not _is_moved(path, old, new)}
            start = next((pair for pair in moved if pair[1] == old), None)
            if start is not None:
                del moved[start]
            if start is None or start[0] != new:  # else it is back in its place
                moved[start[0] if start else old, new] = at
        read.update(file_effects.read)
    return FileHistory(
        tuple(path for path in _drop_short_names(_sort_newest(changed)) if not _TEMPORARY.match(path)),
        tuple(path for path in _drop_short_names(_sort_newest(removed)) if not _CACHE.search(path)),
        tuple(_sort_newest(moved)),
        tuple(path for path in _sort_newest(scratch) if path not in changed),
        frozenset(path for path in uncertain if path in changed),
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

    Files that were only read or that are gone are not there: most were of use for one step only. Nor are files whose
    change is not certain.
    """
    history = trace_files(calls)
    certain = tuple(path for path in history.changed if path not in history.uncertain)
    history = _drop_throw_away(history._replace(changed=certain))
    if history.changed:
        yield PageItem("Facts", make_list_forms("Changed", history.changed), 850, FIRST_RANK)
    if history.moved:
        pairs = [f"{old} -> {new}" for old, new in history.moved]
        yield PageItem("Facts", make_list_forms("Moved", pairs), 720, FIRST_RANK + 2)


def _drop_throw_away(history: FileHistory) -> FileHistory:
    if history.changed and all(map(is_throw_away, history.changed)):
        return history
    gone = frozenset(old.removeprefix("./").rstrip("/") for old, _ in history.moved)
    changed = tuple(path for path in history.changed if not (is_throw_away(path) or _is_in(path, gone)))
    moved = tuple(pair for pair in history.moved if not any(map(is_throw_away, pair)))
    return history._replace(changed=changed, moved=moved)


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
