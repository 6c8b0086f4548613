"""Classification of tool calls by the words of the tool's name and by the arguments."""

import re
from collections.abc import Mapping
from typing import Literal

from ctxkit.core.summary.summary_input import flatten_strings
from ctxkit.core.summary.tool_call import ToolCall
from ctxkit.core.text.json_value import JsonValue

CallKind = Literal["run", "edit", "read", "todo", "other"]
COMMAND_ARGUMENTS = ("command", "cmd", "script", "commands", "bash_command", "shell_command", "CommandLine")
CODE_ARGUMENTS = ("code", "source_code")
_PATH_ARGUMENTS = """
file_path path filePath filename file_name target_file notebook_path file absolute_path relative_path filepath
absolutePath relativePath target uri file_uri TargetFile AbsolutePath
"""
PATH_ARGUMENTS = tuple(_PATH_ARGUMENTS.split())
_PATH = re.compile(r"[/\\]|\.\w{1,12}$")
"""A mark of a path: a separator of folders, or the suffix of a file."""
TODO_ARGUMENTS = ("todos", "plan", "todoList", "task_list", "items", "tasks", "todo_list")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_EDIT = """
edit write create patch replace insert apply update delete remove multiedit append overwrite save modify rename undo
"""
_EDITS = frozenset(_EDIT.split())
_EDITED = "search replace old_string new_string old_str new_str replacement_text oldText"
_EDIT_ARGUMENTS = frozenset(_EDITED.split())
_READS = frozenset(("read", "view", "open", "cat", "show", "get", "fetch", "load", "goto"))
_RUN = "bash shell sh exec execute run terminal command cmd powershell console zsh ipython python"
_RUNS = frozenset(_RUN.split())
_VIEW_COMMANDS = ("view", "read", "open", "cat", "list", "ls", "get", "find", "search", "goto")


def split_name(name: str) -> frozenset[str]:
    """Return the words of a tool's name, in lower case."""
    return frozenset(word.lower() for word in _WORD.findall(name.rsplit("__", 1)[-1]))


def classify_call(call: ToolCall) -> CallKind:
    """Return the kind of a call."""
    words, arguments = split_name(call.name), call.argument_map
    if read_todo_items(call) is not None:
        return "todo"
    if _is_edit(words, call):
        return "edit"
    if any(key in arguments for key in COMMAND_ARGUMENTS) and not _is_editor_call(call):
        return "run"
    if words & _RUNS and (arguments.keys() & {"input", *CODE_ARGUMENTS} or isinstance(call.arguments, list)):
        return "run"
    if _is_editor_call(call) or (words & _READS and path_of(call)):
        return "read"
    return "other"


def _is_editor_call(call: ToolCall) -> bool:
    """Return whether the command of a call is an editor command, as of str_replace_editor, and not a shell command."""
    return bool(call.first_string("command")) and bool(path_of(call)) and "\n" not in call.first_string("command")


def _is_edit(words: frozenset[str], call: ToolCall) -> bool:
    if "*** Begin Patch" in patch_of(call):
        return True
    if _is_editor_call(call):
        return call.first_string("command") not in _VIEW_COMMANDS and bool(words & (_EDITS | {"editor", "file"}))
    if call.argument_map.keys() & {"command", "cmd"} and not path_of(call):
        return False
    is_change = bool(path_of(call) or call.argument_map.keys() & _EDIT_ARGUMENTS) or "\n+++ " in patch_of(call)
    return bool(words & _EDITS) and is_change


def patch_of(call: ToolCall) -> str:
    """Return the texts in the arguments of a call as one text; it may contain a patch."""
    return "\n".join(flatten_strings(call.arguments))


_WRAP_PREFIX = re.compile(r"\Atest -r (?P<script>'[^']*/wrap\.sh'|\S*/wrap\.sh) && \. (?P=script); ")
"""What core/hosts/wrap_script.py puts in front of a command."""


def path_of(call: ToolCall) -> str:
    """Return the path argument of a call without the scheme of a URI, empty if it has none.

    A ``target`` may be anything: it is a path if it looks like one.
    """
    path = call.first_string(*PATH_ARGUMENTS).removeprefix("file://")
    is_other = path == call.first_string("target") and not _PATH.search(path)
    return "" if is_other else path


def command_of(call: ToolCall) -> str:
    """Return the command of a call as a shell line; lists are joined, and a ``bash -lc`` prefix is removed.

    So is the script that the hook of ctxkit puts in front of commands.
    """
    return _WRAP_PREFIX.sub("", _read_command(call))


def _read_command(call: ToolCall) -> str:
    arguments = call.argument_map
    value: JsonValue = call.arguments if isinstance(call.arguments, list) else None
    for key in (*COMMAND_ARGUMENTS, "input", *CODE_ARGUMENTS):
        if value is None and arguments.get(key):
            value = arguments[key]
    if isinstance(value, Mapping):
        value = value.get("command", "")
    if isinstance(value, list):
        words = [str(word) for word in value]
        if len(words) >= 3 and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh") and words[1] in ("-c", "-lc"):
            return words[2].strip()
        return " ".join(words)
    return value.strip() if isinstance(value, str) else ""


_LIST_WORDS = frozenset(("todo", "todos", "todowrite", "plan", "tracker"))
_STATES = ("status", "state", "done", "completed", "checked")


def _has_state(item: JsonValue) -> bool:
    """Return whether an item says whether it is done: else the tasks of a call are what subagents are to do now."""
    return isinstance(item, Mapping) and any(key in item for key in _STATES)


def read_todo_items(call: ToolCall) -> list[JsonValue] | str | None:
    """Return the items of the to-do list that a call writes, None for any other call."""
    words = split_name(call.name)
    if not words & {"todo", "todos", "todowrite", "plan", "task", "tasks", "tracker"}:
        return None
    for key in TODO_ARGUMENTS:
        value = call.argument_map.get(key)
        if isinstance(value, list) and (words & _LIST_WORDS or any(map(_has_state, value))):
            return value
        if isinstance(value, str) and re.search(
            r"^[^\S\n]*+(?:[-*]|\d+[.)])?[^\S\n]*\[[ xX~-]?\]", value, re.MULTILINE
        ):
            return value
    return None
