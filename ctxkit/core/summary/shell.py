"""The files that shell commands and patches change, remove and move."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ctxkit.core.text.shell_script import split_commands

_NOT_A_PATH = re.compile(r"[$*?`{}\[\]]|(?<!^)~|^~(?!/)|^-|^/dev/|^(?i:nul)$|^&|^\d+$|^$|\n|[<>|]|^\.{1,2}[/\\]?$")
_PLAIN_MARK = re.compile(r"(?<=/)\[(?:\[?\.\.\.)?\w{2,80}\]{1,2}(?=[/.]|$)|^<\w[\w.-]{0,40}>(?=/)")
"""A directory or file in brackets, as routers of web frameworks name them, unlike a glob; and a hidden folder."""
_REMOVE_COMMANDS = ("rm", "unlink", "rmdir", "remove-item", "ri", "rd", "del")
_SWITCH = re.compile(r"/[a-zA-Z]")
"""An option of rmdir, rd and del on Windows."""


class FileEffects(NamedTuple):
    """The files that a command changes, removes and moves (from, to), as named in it."""

    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()


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
        changed += [join_folder(folder, path) for path in outs]
        if not words:
            continue
        name, rest = words[0].rsplit("/", 1)[-1], words[1:]
        plain = [word for word in rest if word and not word.startswith("-")]
        if name == "git" and plain[:1] in (["mv"], ["rm"]) and "--cached" not in rest:
            name, plain = plain[0], plain[1:]
        if name == "mv" and len(plain) >= 2:
            pairs = zip(plain[:-1], _list_targets(plain), strict=True)
            moved += [(join_folder(folder, source), join_folder(folder, target)) for source, target in pairs]
        elif name == "cd" and plain[-1:]:
            folder = plain[-1] if plain[-1].startswith(("/", "~/")) else ""
        elif name.lower() in _REMOVE_COMMANDS:
            names = [path for path in plain if name not in ("rmdir", "rd", "del") or not _SWITCH.fullmatch(path)]
            removed += [join_folder(folder, path) for path in names]
        else:
            changed += [join_folder(folder, path) for path in _find_written_paths(name, rest, plain)]
    return FileEffects(
        _select_real_paths(changed, command),
        _select_real_paths(removed, command),
        tuple(pair for pair in moved if len(_select_real_paths(pair, command)) == 2),
    )


def _list_targets(names: Sequence[str]) -> Sequence[str]:
    """Return what files are called that are moved or copied to the last of some names: in it if it is a folder."""
    *sources, target = names
    is_folder = len(sources) > 1 or target.endswith("/") or target in (".", "..")
    folder = target.rstrip("/")
    return [f"{folder}/{name.rstrip('/').rsplit('/', 1)[-1]}" if is_folder else target for name in sources]


def join_folder(folder: str, path: str) -> str:
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
NULL_PATH = "/dev/null"


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
        tuple(new for _, new in pairs if new != NULL_PATH), tuple(old for old, new in pairs if new == NULL_PATH)
    )
