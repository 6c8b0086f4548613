"""The files that calls, shell commands and patches changed, newest first."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ctxkit.core.summary.call_kind import command_of, patch_of, path_of, split_name
from ctxkit.core.summary.outcome import ClassifiedCall, is_declined
from ctxkit.core.summary.tool_call import ToolCall, is_script
from ctxkit.core.text.shell_script import split_commands

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
_LIST_SIZES = (24, 12, 6, 3)
"""Numbers of files that a bullet may list; the largest that fits is used."""


def find_changed_files(calls: Sequence[ClassifiedCall]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the paths that calls changed and that are still there, and those that they removed; the newest first.

    What a command removes may never have been there: only files that calls changed before are named.
    """
    changed: dict[str, None] = {}
    removed: dict[str, None] = {}
    for call in calls:
        effects = _find_call_effects(call)
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


class FileEffects(NamedTuple):
    """The files that a command changes, removes and moves (from, to), as named in it."""

    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()


def _find_call_effects(classified_call: ClassifiedCall) -> FileEffects:
    """Return the effects of a call on files; one that failed, was refused or has no result has none that is known."""
    call, kind, outcome = classified_call
    if call.answered_at < 0 or is_declined(call.text):
        return FileEffects()
    if kind == "run":
        return _find_command_effects(call, failed=outcome.failed)
    return _find_edit_effects(call) if kind == "edit" and not outcome.failed else FileEffects()


def _find_edit_effects(call: ToolCall) -> FileEffects:
    patch = parse_patch(patch_of(call)) if not path_of(call) or "patch" in call.argument_map else None
    if patch and any(patch):
        return patch
    path = path_of(call) or _find_open_file(call) or ""
    is_removal = split_name(call.name) & {"delete", "remove"}
    return FileEffects((), (path,)) if path and is_removal else FileEffects((path,) if path else ())


def _find_open_file(call: ToolCall) -> str | None:
    """Return the file that an editor states to be open, empty for no file; None if it states nothing."""
    shown = _OPEN_FILE.search(call.text)
    return None if shown is None else "" if shown[1] == "n/a" else shown[1]


def _find_command_effects(call: ToolCall, *, failed: bool) -> FileEffects:
    command = command_of(call)
    if is_script(call.name, call.arguments):
        return FileEffects()
    if failed:  # what a script wrote before it failed is there, what it would have removed or moved may be
        return FileEffects(find_effects(command).changed if "\n" in command or "&&" in command else ())
    if stated := _find_stated_effects(call, command):
        return stated
    effects = find_effects(command)
    written = tuple(match[2] for match in _POWERSHELL_WRITE.finditer(command))
    return effects._replace(changed=(*effects.changed, *written))


def _find_stated_effects(call: ToolCall, command: str) -> FileEffects | None:
    """Return the effects that an editor states in its answer, or a patch in the command; None if there is neither."""
    name = next(iter(command.split(maxsplit=1)), "")
    path = _find_open_file(call) if name in _EDITOR_COMMANDS else None
    if path is not None:
        return FileEffects((path,) if path else ())
    patch = parse_patch(command) if "*** Begin Patch" in command else None
    return patch if patch and any(patch) else None


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
    for size in _LIST_SIZES:
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


_NOT_A_PATH = re.compile(r"[$*?`{}\[\]]|(?<!^)~|^~(?!/)|^-|^/dev/|^(?i:nul)$|^&|^\d+$|^$|\n|[<>|]|^\.{1,2}[/\\]?$")
_PLAIN_MARK = re.compile(r"(?<=/)\[(?:\[?\.\.\.)?\w{2,80}\]{1,2}(?=[/.]|$)|^<\w[\w.-]{0,40}>(?=/)")
"""A directory or file in brackets, as routers of web frameworks name them, unlike a glob; and a hidden folder."""
_REMOVE_COMMANDS = ("rm", "unlink", "rmdir", "remove-item", "ri", "rd", "del")
_SWITCH = re.compile(r"/[a-zA-Z]")
"""An option of rmdir, rd and del on Windows."""


def find_effects(command: str) -> FileEffects:
    """Return the effects of a shell command or script on files; names in variables are ignored.

    >>> find_effects("cd /app && echo 1 > port.txt").changed
    ('/app/port.txt',)
    """
    changed: list[str] = []
    removed: list[str] = []
    moved: list[tuple[str, str]] = []
    folder = ""
    for words, outs in split_commands(command):
        effects = _find_simple_effects(words)
        changed += [_join_folder(folder, path) for path in (*outs, *effects.changed)]
        removed += [_join_folder(folder, path) for path in effects.removed]
        moved += [(_join_folder(folder, source), _join_folder(folder, target)) for source, target in effects.moved]
        folder = _change_folder(folder, words)
    return FileEffects(
        _select_real_paths(changed, command),
        _select_real_paths(removed, command),
        tuple(pair for pair in moved if len(_select_real_paths(pair, command)) == 2),
    )


def _find_simple_effects(words: Sequence[str]) -> FileEffects:
    """Return the effects of a simple command, apart from what it is redirected to."""
    if not words:
        return FileEffects()
    name, rest, plain = _split_words(words)
    if name == "mv" and len(plain) >= 2:
        return FileEffects(moved=tuple(zip(plain[:-1], _list_targets(plain), strict=True)))
    if name.lower() in _REMOVE_COMMANDS:
        has_switches = name in ("rmdir", "rd", "del")
        return FileEffects(removed=tuple(path for path in plain if not (has_switches and _SWITCH.fullmatch(path))))
    return FileEffects(tuple(_find_written_paths(name, rest, plain)))


def _split_words(words: Sequence[str]) -> tuple[str, Sequence[str], list[str]]:
    """Return the program of a command, the words after it, and those of them that are no options; git may move too."""
    name, rest = words[0].rsplit("/", 1)[-1], words[1:]
    plain = [word for word in rest if word and not word.startswith("-")]
    if name == "git" and plain[:1] in (["mv"], ["rm"]) and "--cached" not in rest:
        return plain[0], rest, plain[1:]
    return name, rest, plain


def _change_folder(folder: str, words: Sequence[str]) -> str:
    """Return the absolute folder in which a script is after a command, empty if it is not known."""
    name, _, plain = _split_words(words or ("",))
    if name != "cd" or not plain:
        return folder
    return plain[-1] if plain[-1].startswith(("/", "~/")) else ""


def _list_targets(names: Sequence[str]) -> Sequence[str]:
    """Return what files are called that are moved or copied to the last of some names: in it if it is a folder."""
    *sources, target = names
    is_folder = len(sources) > 1 or target.endswith("/") or target in (".", "..")
    folder = target.rstrip("/")
    return [f"{folder}/{name.rstrip('/').rsplit('/', 1)[-1]}" if is_folder else target for name in sources]


def _join_folder(folder: str, path: str) -> str:
    """Return a relative path within the absolute folder that a script entered."""
    return f"{folder.rstrip('/')}/{path.removeprefix('./')}" if folder and path[:1] not in ("/", "~", "$") else path


def _find_written_paths(name: str, rest: Sequence[str], plain: Sequence[str]) -> Sequence[str]:
    """Return the files that a command writes, if it is one that writes to its arguments."""
    if name in ("touch", "tee", "truncate"):
        return plain if name != "truncate" else plain[-1:]
    if name == "cp" and len(plain) >= 2:
        return _list_targets(plain)
    if name in ("sed", "perl", "gsed", "ruby") and any(re.match(r"-[a-zA-Z]*i|--in-place", word) for word in rest):
        return plain[-1:] if rest.count("-e") > 1 else plain[1:]  # each script stands among the names
    if name in ("curl", "wget"):
        return [rest[at + 1] for at, word in enumerate(rest[:-1]) if word in ("-o", "-O", "--output") and word != "-O"]
    return ()


def _select_real_paths(paths: Sequence[str], command: str) -> tuple[str, ...]:
    """Return the words that are paths; one that lost its backslashes as a word of sh is not in the command."""
    plain = [path for path in paths if not _NOT_A_PATH.search(_PLAIN_MARK.sub("name", path))]
    return tuple(path for path in plain if "\\" not in command or path.rsplit("/", 1)[-1] in command)


_BEGIN = "*** Begin Patch"
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.*[^ \t\n])[ \t]*$", re.MULTILINE)
_MOVE = re.compile(r"^\*\*\* Update File: (.*[^ \t\n])[ \t]*\n\*\*\* Move to: (.*[^ \t\n])[ \t]*$", re.MULTILINE)
_DIFF_HEADER = re.compile(r"^--- (?:a/)?(\S++)[^\n]*\n\+\+\+ (?:b/)?(\S+)", re.MULTILINE)
_NULL_PATH = "/dev/null"


def parse_patch(text: str) -> FileEffects:
    """Return the files in a patch, empty for any other text."""
    if _BEGIN in text:
        moved = tuple((match[1], match[2]) for match in _MOVE.finditer(text))
        moved_sources = {source for source, _ in moved}
        files = [(match[1], match[2]) for match in _PATCH_FILE.finditer(text) if match[2] not in moved_sources]
        return FileEffects(
            tuple(path for operation, path in files if operation != "Delete"),
            tuple(path for operation, path in files if operation == "Delete"),
            moved,
        )
    if "\n+++ " not in text:
        return FileEffects()
    pairs = [(match[1], match[2]) for match in _DIFF_HEADER.finditer(text)]
    return FileEffects(
        tuple(new for _, new in pairs if new != _NULL_PATH), tuple(old for old, new in pairs if new == _NULL_PATH)
    )
