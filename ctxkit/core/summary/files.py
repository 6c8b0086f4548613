"""The files that calls changed, newest first."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ctxkit.core.summary.call_kind import command_of, patch_of, path_of, split_name
from ctxkit.core.summary.outcome import ClassifiedCall, is_declined
from ctxkit.core.summary.script_calls import is_script
from ctxkit.core.summary.shell import FileEffects, find_effects, parse_patch
from ctxkit.core.summary.tool_call import ToolCall

_THROW_AWAY = re.compile(
    r"(?:^|[/\\])(?:\.git|__pycache__|\.(?:pytest|mypy|ruff)_cache|\.cache|node_modules|\.next)(?:[/\\]|$)"
    r"|^/(?:var/)?tmp/[^/]+$|\.(?:pyc|pid|swp|DS_Store)$|(?:^|[/\\])nul$"
)
"""What tools make for themselves, and a file right in the directory of temporary files."""
_OPEN_FILE = re.compile(r"^\[?\(?(?:File|Open file): (\S+?)\)?(?: \(\d+ lines total\)\])?$", re.MULTILINE)
"""The file that SWE-agent's editor shows."""
_EDITOR_COMMANDS = ("create", "edit", "insert", "append", "undo_edit")
_POWERSHELL_WRITE = re.compile(
    r"""(?i:\b(?:Set-Content|Add-Content|Out-File)(?:\s+-(?:Literal|File)?Path)?)\s+(['"]?)([^\s'"|;-][^\s'"|;]*)\1"""
)
"""A path that a script of PowerShell writes."""
LIST_SIZES = (24, 12, 6, 3)
"""Numbers of files that a bullet may list; the largest that fits is used."""


def find_changed_files(calls: Sequence[ClassifiedCall]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths that calls changed and that are still there, and those that they removed; the newest first.

    What a command removes may never have been there: only files that calls changed before are named.
    """
    changed: dict[str, None] = {}
    removed: dict[str, None] = {}
    for call in calls:
        effects = find_call_effects(call)
        for path in (*effects.removed, *(old for old, _ in effects.moved)):
            for other in [other for other in changed if _names_same(other, path)]:
                del changed[other]
                removed[other] = None
        removed.update(dict.fromkeys(effects.removed if call.kind == "edit" else ()))
        for path in (*effects.changed, *(new for _, new in effects.moved)):
            changed.pop(path, None)
            removed.pop(path, None)
            changed[path] = None
    return _name_once(changed), _name_once(removed)


def _name_once(names: Iterable[str]) -> tuple[str, ...]:
    """Return paths, the last first, without throw-away files and without those that end a longer one."""
    paths: dict[str, str] = {}
    for path in reversed(list(names)):
        if not _THROW_AWAY.search(path):
            paths.setdefault(path.removeprefix("./"), path)
    ends = {name[at + 1 :] for name in paths for at, sign in enumerate(name) if sign in "/\\"}
    return tuple(path for name, path in paths.items() if name not in ends)


def find_call_effects(classified_call: ClassifiedCall) -> FileEffects:
    """Return the effects of a call on files; one that failed, was refused or has no result has none that is known."""
    call, kind, outcome = classified_call
    if call.answered_at < 0 or is_declined(call.text):
        return FileEffects()
    if kind == "run":
        return _find_command_effects(call, failed=outcome.failed)
    if kind != "edit" or outcome.failed:
        return FileEffects()
    patch = parse_patch(patch_of(call)) if not path_of(call) or "patch" in call.argument_map else None
    if patch and any(patch):
        return patch
    shown = _OPEN_FILE.search(call.text)
    path = path_of(call) or (shown[1] if shown and shown[1] != "n/a" else "")
    is_removal = split_name(call.name) & {"delete", "remove"}
    return FileEffects((), (path,)) if path and is_removal else FileEffects((path,) if path else ())


def _find_command_effects(call: ToolCall, *, failed: bool) -> FileEffects:
    command = command_of(call)
    if is_script(call.name, call.arguments):
        return FileEffects()
    name = command.split(maxsplit=1)[0] if command.split() else ""
    if name in _EDITOR_COMMANDS and (shown := _OPEN_FILE.search(call.text)) and not failed:
        return FileEffects(() if shown[1] == "n/a" else (shown[1],))
    patch = parse_patch(command) if "*** Begin Patch" in command else None
    if patch and any(patch) and not failed:
        return patch
    effects = find_effects(command)
    if failed:  # what a script wrote before it failed is there, what it would have removed or moved may be
        return FileEffects(effects.changed if "\n" in command or "&&" in command else ())
    written = tuple(match[2] for match in _POWERSHELL_WRITE.finditer(command))
    return effects._replace(changed=(*effects.changed, *written))


def _names_same(path: str, removed: str) -> bool:
    """Return whether a path names a removed file, or one in a removed folder.

    A relative name may be that of a file anywhere, but a folder only of relative paths: where it was is not known.

    >>> [_names_same("/app/src/a.py", removed) for removed in ("src/a.py", "/app", "src")]
    [True, True, False]
    """
    path, removed = (name.replace("\\", "/").removeprefix("./").rstrip("/") for name in (path, removed))
    return bool(removed) and (path == removed or path.endswith(f"/{removed}") or path.startswith(f"{removed}/"))


def make_list_forms(label: str, paths: Sequence[str]) -> Iterator[str]:
    """Yield ever shorter lists of paths: all, all without their common folder, then only the first ones."""
    folder = _find_shared_folder(paths)
    within = [path.removeprefix(folder) for path in paths]
    name = f"{label} in {folder}" if folder else label
    yield f"{name}: {', '.join(within)}."
    for size in LIST_SIZES:
        if size < len(paths):
            yield f"{name}: {', '.join(within[:size])} and others."


def _find_shared_folder(paths: Sequence[str]) -> str:
    """Return the folder, with its slash, above those in which all paths are, empty if there is none or only one path.

    >>> _find_shared_folder(["/app/src/a.py", "/app/src/b.py"])
    '/app/'
    """
    if len(paths) < 2:
        return ""
    first, last = min(paths), max(paths)
    size = min(len(first), len(last))
    shared = next((at for at in range(size) if first[at] != last[at]), size)
    shared = min(shared, *(path.rfind("/") for path in paths))  # a file is named with the folder that contains it
    return first[: first.rfind("/", 0, shared) + 1]
