"""Whether a call certainly changed a file: a command may have failed, be running, or have run in another folder.

And which changes a later command may have taken back.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ctxkit.core.context.extract.call_kind import command_of, path_of
from ctxkit.core.context.extract.classified_call import ClassifiedCall

_RELATIVE_CD = re.compile(
    r"(?:^|[;&|(\n])[ \t]*(?:cd|pushd|chdir|Set-Location)[ \t]+(?![/\\~]|[\"'][/\\]|[\"']?[A-Za-z]:)"
)
"""A change to a folder that is relative to one that is not known."""
_ABSOLUTE = re.compile(r"[/\\~]|[A-Za-z]:")
_RUNNING = re.compile(
    r"\b(?:running in (?:the )?background|still running|background (?:command|process|task) (?:started|is running)"
    r"|command is running|moved to (?:the )?background|timed out)\b",
    re.IGNORECASE,
)
"""What hosts say of a command that has not ended."""
_BACKGROUND = re.compile(r"(?<![&>])&\s*$|(?<![&>\d])& ")
_DOWNLOADER = re.compile(r"\b(?:curl|wget|yt-dlp|Invoke-WebRequest|iwr)\b")
"""Programs that write an error page, or a part, under the name of what should be there."""
_REVERT_ALL = re.compile(
    r"\bgit\b[^\n;&|]{0,80}\b(?:reset --hard|clean -\w*f|(?:checkout|restore)(?: --\w*)? (?:\.|:/)(?=[\s;&|\"']|$))"
)
_REVERT = re.compile(
    r"\bgit (?:-C \S{1,200} )?(?:checkout (?:\S{1,80} )?-- |restore (?:--[a-z]\S{0,80} ){0,3})([^\n;&|]{1,1000})"
)
"""Commands of git that take back all changes, and those of some files, that no commit holds."""
_TAKING = re.compile(
    r"(?:^|[\n;&|({]|(?:/c|-c|-command)[ \t]+[\"']?)[ \t]*"
    r"(?:(?P<rm>rm)|ren|rename|rename-item|rni|move|move-item|mi|del|erase|remove-item|ri|rd|rmdir)[ \t]+"
    r"(?P<names>[^\n;&|]{1,1000})"
    r"|\b(?:os\.(?:remove|unlink|rename|replace)|shutil\.(?:move|rmtree)|unlinksync|rmsync)"
    r"\(\s*[rf]?(?P<argument>['\"][^'\"\n]{1,400})"
    r"|\bpath\(\s*[rf]?(?P<path>['\"][^'\"\n]{1,400})['\"]\s*\)\.unlink\(",
    re.IGNORECASE,
)
"""A command, and a function of Python or Node.js, that takes a file away from its place.

The relative names that rm removes are not in doubt.
"""
_TAKEN_NAME = re.compile(r"'([^'\n]+)'|\"([^\"\n]+)\"|([^\s'\",()]+)")
_DRIVE = re.compile(r"/?([A-Za-z])(?::|(?=/))/")
"""The beginning of a path with a drive, in the form of Windows or of Git Bash."""
_MISSING = re.compile(r"['\"]?([^\s'\":]{2,400})['\"]?: No such file or directory")
_ABSENT = re.compile(r"\b(?:does not exist|no such file|not found|ENOENT)\b", re.IGNORECASE)
"""What a program and a tool say of a file that is not there."""
_LISTING = re.compile(r"\s*ls((?:[ \t]+[^\s;&|<>$`'\"(){}]+){1,40})(?:[ \t]*2>(?:/dev/null|&1))?\s*")
"""A command that only lists names, whose errors may be hidden."""
_TEXT_LINE = re.compile(
    r"<<|^\*\*\* (?:Add|Update) File: |--in-place|\b(?:g?sed|perl|ruby)\b[^\n|;&]{0,80}? -[A-Za-z0-9]{0,4}i"
    r"|\b(?:str_replace_editor|edit_anthropic|open|Path|write_text|write_bytes|create_file|append_file|edit_file\w{0,20}"
    r"|insert_content_at_line)\b|^[ \t]*\w{1,40}[ \t]*=[ \t]*['\"]"
)
"""A line of a command that holds the text it writes, or says what it replaces: a document, an editor, or a script."""
_EDITOR_START = re.compile(r"\s*(?:create|edit|insert|append|undo_edit)\b")
"""The beginning of a command of an editor, which changes the file that is open."""
_NAME = re.compile(r"[^\s'\"/\\<>|;&(){}=,]+")
"""A word of a command, and each part of a path in it."""
HEAD_CHARS, MAX_COMMAND, MAX_PATH, MAX_SCRIPT = 300, 4_000, 1_000, 40_000
"""Characters of a result in which a host says that a command is running, of a command that are read, of a path whose
folders and ends are compared, and of a command in which the names of written files are looked for."""


def is_certain_change(call: ClassifiedCall, path: str) -> bool:
    """Return whether a call that names a file as changed certainly changed a file of that name.

    A folder is not a file. Of a command, the outcome, the folder in which it ran and what it wrote may be unknown: only
    a file whose text the command contains is certain, unlike a copy, a download or the output of a program.
    """
    if path.endswith(("/", "\\")):
        return False
    if call.kind != "run":
        return True
    command = command_of(call.call)[:MAX_SCRIPT]
    if not _EDITOR_START.match(command) and _read_last_name(path) not in _find_text_names(command):
        return False
    command = command[:MAX_COMMAND]
    first = command.partition("<<")[0]
    is_running = bool(_RUNNING.search(call.call.text[:HEAD_CHARS]) or _BACKGROUND.search(first))
    is_displaced = not _ABSOLUTE.match(path) and bool(_RELATIVE_CD.search(first))
    return not (call.outcome.failed or is_running or is_displaced or _DOWNLOADER.search(first))


@lru_cache(maxsize=4)
def _find_text_names(command: str) -> frozenset[str]:
    """Return the names in the lines of a command that hold the text of a file."""
    lines = command.replace("\\\n", " ").split("\n")
    return frozenset(name for line in lines if _TEXT_LINE.search(line) for name in _NAME.findall(line))


def _read_last_name(path: str) -> str:
    """Return the last name of a path, or its last word."""
    return next(reversed(_NAME.findall(path[-MAX_PATH:])), "")


def find_missing_paths(call: ClassifiedCall) -> frozenset[str]:
    """Return the paths that the result of a command or of a tool for reading says are not there."""
    if call.kind == "read":
        return frozenset((path_of(call.call),)) if _ABSENT.search(call.call.text[:HEAD_CHARS]) else frozenset()
    if call.kind != "run":
        return frozenset()
    return frozenset((*_MISSING.findall(call.call.text[:MAX_COMMAND]), *_find_unlisted(call)))


def _find_unlisted(call: ClassifiedCall) -> Iterator[str]:
    """Yield the names that a failed listing was given and that its output does not contain."""
    listing = _LISTING.fullmatch(command_of(call.call)[:MAX_COMMAND]) if call.outcome.failed else None
    for name in listing[1].split() if listing else ():
        if not (name.startswith("-") or any(sign in name for sign in "*?[") or name in call.call.text):
            yield name


def find_reverted_paths(call: ClassifiedCall, paths: Iterable[str]) -> list[str]:
    """Return the changed files whose change a command of git may have taken back, or that a command renamed.

    What a commit holds stays, which is not known here.
    """
    command = command_of(call.call)[:MAX_COMMAND] if call.kind == "run" else ""
    if "git" in command and _REVERT_ALL.search(command):
        return list(paths)
    names = frozenset(map(_normalize_path, _list_names(command))) - {""}
    ends = frozenset(end for name in names if _ABSOLUTE.match(name) for end in _list_ends(name))
    return [path for path in paths if _is_named(_normalize_path(path), names, ends)] if names else []


def _is_named(path: str, names: frozenset[str], ends: frozenset[str]) -> bool:
    """Return whether a path is one of some names, in one of them, or the end of one: of ``ends``."""
    folders = (path[:at] for at, sign in enumerate(path[:MAX_PATH]) if sign == "/")
    return path in ends or not (names.isdisjoint(_list_ends(path)) and names.isdisjoint(folders))


def _normalize_path(path: str) -> str:
    """Return a path with slashes, without a leading dot, and with its drive as Windows writes it.

    >>> _normalize_path("/c/app/a.py"), _normalize_path(".\\\\a.py")
    ('c:/app/a.py', 'a.py')
    """
    path = path.replace("\\", "/").removeprefix("./").rstrip("/")
    drive = _DRIVE.match(path)
    return f"{drive[1].lower()}:/{path[drive.end() :]}" if drive else path


def _list_names(command: str) -> Iterator[str]:
    """Yield the names that a command takes back, renames or removes."""
    for match in _REVERT.finditer(command) if "git" in command else ():
        yield from (name.strip("\"'") for name in match[1].split())
    for match in _TAKING.finditer(command):
        for parts in _TAKEN_NAME.findall(match["names"] or (match["argument"] or match["path"]).strip("\"'")):
            name = "".join(parts)
            if not match["rm"] or _ABSOLUTE.match(name):
                yield name


def _list_ends(path: str) -> Iterator[str]:
    """Yield a path and its ends after each slash, by which a command may name it from another folder."""
    yield path
    yield from (path[at + 1 :] for at, sign in enumerate(path[:MAX_PATH]) if sign == "/" and path[at + 1 :])
