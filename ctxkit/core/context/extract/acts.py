"""What kind of deed a call is: told by the words of the tool's name and by its arguments."""

import re
from collections.abc import Mapping
from typing import Any, Literal

from ctxkit.core.context.extract.deed import Deed

Act = Literal["run", "edit", "read", "todo", "other"]
COMMANDS = ("command", "cmd", "script", "commands", "bash_command", "shell_command")
CODES = ("code", "source_code")
PATHS = (
    *(
        "file_path",
        "path",
        "filePath",
        "filename",
        "file_name",
        "target_file",
        "notebook_path",
        "file",
        "absolute_path",
    ),
    *("relative_path", "filepath", "absolutePath", "relativePath", "target", "uri", "file_uri", "TargetFile"),
)
TODOS = ("todos", "plan", "todoList", "task_list", "items", "tasks", "todo_list")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_EDIT = """
edit write create patch replace insert apply update delete remove multiedit append overwrite save modify rename undo
"""
_EDITS = frozenset(_EDIT.split())
_READS = frozenset(("read", "view", "open", "cat", "show", "get", "fetch", "load", "goto"))
_RUN = "bash shell sh exec execute run terminal command cmd powershell console zsh ipython python"
_RUNS = frozenset(_RUN.split())
_NOT_FILE = "comment review issue memory memories todo todos task tasks plan pull message label"
_NOT_FILES = frozenset(_NOT_FILE.split())
_LOOKING = ("view", "read", "open", "cat", "list", "ls", "get", "find", "search", "goto")


def words_of(name: str) -> frozenset[str]:
    """Return the words of a tool's name, in lower case."""
    return frozenset(word.lower() for word in _WORD.findall(name.rsplit("__", 1)[-1]))


def act(deed: Deed) -> Act:
    """Return what a call does."""
    words, given = words_of(deed.name), deed.given
    if listed(deed) is not None:
        return "todo"
    if _edits(words, deed):
        return "edit"
    if any(key in given for key in COMMANDS) and not _editor(deed):
        return "run"
    if words & _RUNS and (given.keys() & {"input", *CODES} or isinstance(deed.arguments, list)):
        return "run"
    if _editor(deed) or (words & _READS and path_of(deed)):
        return "read"
    return "other"


def _editor(deed: Deed) -> bool:
    """Tell whether the command of a call is one of an editor, such as str_replace_editor's, and not a shell's."""
    return bool(deed.string("command")) and bool(path_of(deed)) and "\n" not in deed.string("command")


def _edits(words: frozenset[str], deed: Deed) -> bool:
    if "*** Begin Patch" in _texts(deed):
        return True
    if words & _NOT_FILES or (words & {"search", "grep", "find"} and "replace" not in words):
        return False
    if _editor(deed):
        return deed.string("command") not in _LOOKING and bool(words & (_EDITS | {"editor", "file"}))
    if deed.given.keys() & {"command", "cmd"} and not path_of(deed):
        return False
    return bool(words & _EDITS) and bool(path_of(deed) or deed.given.keys() & _BODIES or _holds_diff(deed))


_BODIES = frozenset(
    ("search", "replace", "old_string", "new_string", "old_str", "new_str", "replacement_text", "oldText")
)


def _holds_diff(deed: Deed) -> bool:
    return any("\n+++ " in held for held in deed.given.values() if isinstance(held, str))


def _texts(deed: Deed) -> str:
    """Return the arguments of a call that may hold a patch, as one text."""
    return "\n".join(_flat(deed.arguments, 3))


def _flat(value: Any, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth and isinstance(value, Mapping):
        return [text for held in value.values() for text in _flat(held, depth - 1)]
    if depth and isinstance(value, list):
        return [text for held in value for text in _flat(held, depth - 1)]
    return []


def patch_of(deed: Deed) -> str:
    """Return the arguments of a call, which hold a patch, as one text."""
    return _texts(deed)


def path_of(deed: Deed) -> str:
    """Return the file that a call names, without the scheme of a URI; empty where it names none."""
    return deed.string(*PATHS).removeprefix("file://")


def command_of(deed: Deed) -> str:
    """Return the command that a call runs, as it would be typed: an argument list is joined, ``bash -lc`` left out."""
    given = deed.given
    held: Any = deed.arguments if isinstance(deed.arguments, list) else None
    for key in (*COMMANDS, "input", *CODES):
        if held is None and given.get(key):
            held = given[key]
    if isinstance(held, Mapping):
        held = held.get("command", "")
    if isinstance(held, list):
        words = [str(word) for word in held]
        if len(words) >= 3 and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh") and words[1] in ("-c", "-lc"):
            return words[2].strip()
        return " ".join(words)
    return held.strip() if isinstance(held, str) else ""


def listed(deed: Deed) -> list[Any] | str | None:
    """Return the items of a list of things to do that a call writes, None for any other call."""
    words = words_of(deed.name)
    if not words & {"todo", "todos", "todowrite", "plan", "task", "tasks", "tracker"}:
        return None
    for key in TODOS:
        held = deed.given.get(key)
        if isinstance(held, list):
            return held
        if isinstance(held, str) and re.search(r"^[^\S\n]*+(?:[-*]|\d+[.)])?[^\S\n]*\[[ xX~-]?\]", held, re.MULTILINE):
            return held
    return None
