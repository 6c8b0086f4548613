"""The files that were changed, removed, moved and read, newest first."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.context.extract.call_kind import command_of, patch_of, path_of
from ctxkit.core.context.extract.classified_call import ClassifiedCall
from ctxkit.core.context.extract.item import PageItem
from ctxkit.core.context.extract.patches import parse_patch
from ctxkit.core.context.extract.shell import FileEffects, find_effects
from ctxkit.core.context.extract.tool_call import ToolCall

_FILE_HEADER = re.compile(r"^\[File: (\S+) \(\d+ lines total\)\]", re.MULTILINE)
_TEMPORARY = re.compile(r"/(?:var/)?tmp/[^/]+$")
"""A file right in the directory of temporary files, such as a script that is used once."""
_CACHE = re.compile(
    r"(?:^|[/\\])(?:__pycache__|\.(?:pytest|mypy|ruff)_cache|\.cache|node_modules|\.next|\.DS_Store|[^/\\]+\.pyc)/?$"
)
"""A file or folder that tools make again."""
_THROW_AWAY = re.compile(
    r"(?:^|[/\\])(?:te?mp|scratchpad|\.git|__pycache__|\.(?:pytest|mypy|ruff)_cache|\.cache|node_modules|\.next"
    r"|tool-results|logs?|\.system_generated)(?:[/\\]|$)|\.(?:log|tmp|bak|pyc|pid|swp|DS_Store)$|(?:^|[/\\])nul$",
    re.IGNORECASE,
)
"""A temporary file, a log, or what tools and hosts make for themselves."""
_MISSING = re.compile(r"does not exist|no such file|not found|cannot find", re.IGNORECASE)
MAX_PATH, MAX_NOTICE = 1_000, 300
"""Maximum characters of a path whose folders are compared, and of a result that says that a file is not there."""
_OPEN_FILE = re.compile(r"^\(Open file: (\S+)\)", re.MULTILINE)
_EDITOR = re.compile(r"(?:str_replace_editor|edit_anthropic)\s+(create|str_replace|insert|undo_edit|view)\s+(\S+)")
_EDITOR_COMMANDS = ("create", "edit", "insert", "append", "undo_edit", "open", "goto", "scroll_down", "scroll_up")
_PYTHON_OPEN = re.compile(r"""\bopen\(\s*[rfb]?(['"])([^'"\n]+)\1\s*,\s*(?:mode\s*=\s*)?['"][wax]""")
_EDIT_FUNCTION = re.compile(
    r"""\b(?:create_file|edit_file\w*|append_file|insert_content_at_line)\(\s*(?:\w+\s*=\s*)?(['"])([^'"\n]+)\1"""
)
_PYTHON_PATH_WRITE = re.compile(
    r"""\bPath\(\s*(['"])([^'"\n]+)\1\s*\)\.(?:write_text|write_bytes|touch|open\(\s*(?:mode\s*=\s*)?['"][wax])"""
)
FIRST_RANK, LAST_RANK = -3_000_000, 9_000_000
"""Ranks of items about files: changes come before everything else, reads after it."""
LIST_SIZES = (60, 25, 12, 6, 3)
"""Numbers of files that a bullet may list; the largest that fits is used."""


class FileHistory(NamedTuple):
    """Files by effect, newest first, without duplicates; ``scratch`` are those that were created and removed again."""

    changed: tuple[str, ...]
    removed: tuple[str, ...]
    moved: tuple[tuple[str, str], ...]
    read: tuple[str, ...]
    scratch: tuple[str, ...] = ()


def trace_files(calls: Sequence[ClassifiedCall]) -> FileHistory:
    """Return the effects of calls on files; failed calls have none."""
    changed: dict[str, int] = {}
    removed: dict[str, int] = {}
    moved: dict[tuple[str, str], int] = {}
    read: dict[str, int] = {}
    created: set[str] = set()
    scratch: dict[str, int] = {}
    for at, call in enumerate(calls):
        file_effects = find_call_effects(call)
        for path in file_effects.changed:
            created.update({path} if not (path in changed or path in read or _is_edit(call.call.name)) else ())
            changed[path] = at
            for place in _list_folders(path) if removed else ():
                removed.pop(place, None)
        for path in file_effects.removed:
            gone = {other: at for other in changed if _is_removed(other, path)}
            own = [other for other in gone if other in created and f"/{other}".endswith(f"/{path}")]
            scratch.update(dict.fromkeys(own, at))
            if not own:
                removed.update(gone or {path: at})
            changed = {other: place for other, place in changed.items() if other not in gone}
            read = {other: place for other, place in read.items() if not _is_removed(other, path)}
            moved = {pair: place for pair, place in moved.items() if pair[1] != path}
        for old, new in file_effects.moved:
            start = next((pair for pair in moved if pair[1] == old), None)
            if start is not None:
                del moved[start]
            moved[start[0] if start else old, new] = at
        for path in file_effects.read:
            read[path] = at
    changed_paths = tuple(path for path in _drop_short_names(_sort_newest(changed)) if not _TEMPORARY.match(path))
    known_paths = _path_suffixes(changed_paths) | frozenset(changed_paths)
    return FileHistory(
        changed_paths,
        tuple(path for path in _drop_short_names(_sort_newest(removed)) if not _CACHE.search(path)),
        tuple(_sort_newest(moved)),
        tuple(path for path in _drop_short_names(_sort_newest(read)) if path.removeprefix("./") not in known_paths),
        tuple(path for path in _sort_newest(scratch) if path not in changed),
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


def _sort_newest(places: dict) -> list:  # type: ignore[type-arg]
    return sorted(places, key=lambda key: -places[key])


def _drop_short_names(paths: Sequence[str]) -> tuple[str, ...]:
    """Return paths without those that are the end of a longer path."""
    ends = _path_suffixes(paths)
    return tuple(path for path in paths if path.removeprefix("./") not in ends)


def _path_suffixes(paths: Sequence[str]) -> frozenset[str]:
    """Return the part of each path after each of its slashes."""
    return frozenset(
        path[at + 1 :] for path in paths for at, sign in enumerate(path) if sign == "/" and path[:at] != "."
    )


def find_call_effects(classified_call: ClassifiedCall) -> FileEffects:
    """Return the effects of a call on files; a call without a result has none that is known."""
    call, kind, outcome = classified_call
    if call.answered_at < 0:
        return FileEffects()
    if kind == "run":
        return _find_command_effects(call, failed=outcome.failed)
    if kind not in ("edit", "read") or outcome.failed:
        return FileEffects()
    if kind == "read":
        is_missing = len(call.text) <= MAX_NOTICE and _MISSING.search(call.text)
        return FileEffects() if is_missing else FileEffects(read=(path_of(call),))
    path = path_of(call)
    patch = parse_patch(patch_of(call)) if not path or "patch" in call.argument_map else FileEffects()
    if any(patch):  # a diff that is the content of a named file is text
        return FileEffects(patch.changed, patch.removed, patch.moved)
    path = path or _find_shown_file(call)
    if not path:
        return FileEffects()
    name = call.name.lower()
    if ("delete" in name or "remove" in name) and "file" in name:
        return FileEffects(removed=(path,))
    return FileEffects((path,))


def _find_shown_file(call: ToolCall) -> str:
    """Return the file that an editor displays after an edit."""
    match = _FILE_HEADER.search(call.text) or _OPEN_FILE.search(call.text)
    return match[1] if match else ""


def _find_command_effects(call: ToolCall, *, failed: bool) -> FileEffects:
    """Return the effects of a command; a failed command may have written files, but did not move or read any."""
    command = command_of(call)
    first, _, _body = command.partition("\n")
    if match := _EDITOR.match(first):
        path = match[2].strip("'\"")
        return FileEffects() if failed else FileEffects(read=(path,)) if match[1] == "view" else FileEffects((path,))
    words = first.split()
    if words and words[0] in _EDITOR_COMMANDS and (shown_path := _find_shown_file(call)):
        opened = words[0] in ("open", "goto", "scroll_down", "scroll_up")
        return (
            FileEffects(read=(shown_path,))
            if opened
            else FileEffects((shown_path,))
            if _is_edit_accepted(call.text)
            else FileEffects()
        )
    if any(patch := parse_patch(command)) and "apply" in command:
        return FileEffects() if failed else FileEffects(patch.changed, patch.removed, patch.moved)
    written = tuple(_find_written_files(command)) if "(" in command else ()
    if "code" in call.argument_map and "command" not in call.argument_map:
        return FileEffects(() if failed else written)
    file_effects = find_effects(command)
    if failed:
        return FileEffects(file_effects.changed if not call.text.startswith("bash:") else ())
    return file_effects._replace(changed=(*file_effects.changed, *written))


def _is_edit_accepted(text: str) -> bool:
    return "has introduced new syntax error" not in text and "Your proposed edit" not in text


def _find_written_files(code: str) -> Iterator[str]:
    """Yield the files that Python code writes, if their names are literals."""
    for pattern in (_PYTHON_OPEN, _PYTHON_PATH_WRITE, _EDIT_FUNCTION):
        yield from (match[2] for match in pattern.finditer(code))


def find_file_items(calls: Sequence[ClassifiedCall], since: int = 0) -> Iterator[PageItem]:
    """Yield page items about files; temporary ones are left out unless the work is only about them.

    Files that were only read count from message ``since`` on: what an earlier request needed is of no more use.
    """
    history = _drop_throw_away(trace_files(calls))
    recent = frozenset(trace_files([call for call in calls if call.call.at >= since]).read if since else history.read)
    history = history._replace(read=tuple(path for path in history.read if path in recent))
    if history.changed:
        yield PageItem("Facts", make_list_forms("Changed", history.changed), 850, FIRST_RANK)
    if history.removed:
        yield PageItem("Facts", make_list_forms("Removed", history.removed), 840, FIRST_RANK + 1)
    if history.moved:
        pairs = [f"{old} -> {new}" for old, new in history.moved]
        yield PageItem("Facts", make_list_forms("Moved", pairs), 720, FIRST_RANK + 2)
    if history.read:
        yield PageItem("Facts", make_list_forms("Read", history.read), 300, LAST_RANK)


def _drop_throw_away(history: FileHistory) -> FileHistory:
    if history.changed and all(map(is_throw_away, history.changed)):
        return history
    gone = frozenset(old.removeprefix("./").rstrip("/") for old, _ in history.moved)
    changed, removed, read = (
        tuple(path for path in paths if not (is_throw_away(path) or _is_in(path, gone)))
        for paths in (history.changed, history.removed, history.read)
    )
    moved = tuple(pair for pair in history.moved if not any(map(is_throw_away, pair)))
    return FileHistory(changed, removed, moved, read)


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
