"""The effects of a tool call on files, read from its arguments and its result."""

import re
from collections.abc import Iterator

from ctxkit.core.context.extract.call_kind import command_of, patch_of, path_of, split_name
from ctxkit.core.context.extract.classified_call import ClassifiedCall
from ctxkit.core.context.extract.edit_result import is_refused_edit
from ctxkit.core.context.extract.outcome import is_declined
from ctxkit.core.context.extract.patches import parse_patch
from ctxkit.core.context.extract.script_calls import is_script
from ctxkit.core.context.extract.shell import FileEffects, find_effects, find_entered_folder, join_folder
from ctxkit.core.context.extract.tool_call import ToolCall

_FILE_HEADER = re.compile(r"^\[File: (\S+) \(\d+ lines total\)\]", re.MULTILINE)
_MISSING = re.compile(r"does not exist|no such file|not found|cannot find", re.IGNORECASE)
_REMOVAL_WORDS = frozenset(("delete", "remove"))
"""Words in the name of a tool that removes a file, alone or with the word file."""
MAX_NOTICE = 300
"""Maximum characters of a result that says that a file is not there."""
_REPORTER = re.compile(r"(?:^|\W)(cp|sed|touch|tee|truncate|dd|curl|wget): ")
"""The name that a program puts before its message: what it should have written is not there."""
_MOVE_ERROR = re.compile(r"^mv: ", re.MULTILINE)
"""The beginning of a message of mv, which need not make the command fail."""
_OPEN_FILE = re.compile(r"^\(Open file: (\S+)\)", re.MULTILINE)
_EDITOR = re.compile(r"(?:str_replace_editor|edit_anthropic)\s+(create|str_replace|insert|undo_edit|view)\s+(\S+)")
_EDITOR_COMMANDS = ("create", "edit", "insert", "append", "undo_edit", "open", "goto", "scroll_down", "scroll_up")
_PYTHON_OPEN = re.compile(r"""\bopen\(\s*[rfb]?(['"])([^'"\n]+)\1\s*,\s*(?:mode\s*=\s*)?['"][wax]""")
_PYTHON_NAME = re.compile(
    r"""^[ \t]*(\w{1,40})[ \t]*=[ \t]*(?:(?:pathlib\.)?Path\([ \t]*)?(['"])([^'"\n]{1,400})\2[ \t]*\)?[ \t]*(?:;|$)""",
    re.MULTILINE,
)
"""The name that a script gives to a path."""
_PYTHON_NAME_WRITE = re.compile(
    r"""\b(\w{1,40})\.(?:write_text|write_bytes)\(|\bopen\(\s*(\w{1,40})\s*,\s*(?:mode\s*=\s*)?['"][wax]"""
)
_EDIT_FUNCTION = re.compile(
    r"""\b(?:create_file|edit_file\w*|append_file|insert_content_at_line)\(\s*(?:\w+\s*=\s*)?(['"])([^'"\n]+)\1"""
)
_PYTHON_PATH_WRITE = re.compile(
    r"""\bPath\(\s*(['"])([^'"\n]+)\1\s*\)\.(?:write_text|write_bytes|touch|open\(\s*(?:mode\s*=\s*)?['"][wax])"""
)


def find_call_effects(classified_call: ClassifiedCall) -> FileEffects:
    """Return the effects of a call on files; one that was refused, or has no result, has none that is known."""
    call, kind, outcome = classified_call
    if call.answered_at < 0 or is_declined(call.text):
        return FileEffects()
    if kind == "run":
        return _find_command_effects(call, failed=outcome.failed)
    if kind not in ("edit", "read") or outcome.failed:
        return FileEffects()
    if kind == "read":
        is_missing = len(call.text) <= MAX_NOTICE and _MISSING.search(call.text)
        return FileEffects() if is_missing else FileEffects(read=(path_of(call),))
    if is_refused_edit(call.text):
        return FileEffects()
    path = path_of(call)
    patch = parse_patch(patch_of(call)) if not path or "patch" in call.argument_map else FileEffects()
    if any(patch):  # a diff that is the content of a named file is text
        return FileEffects(patch.changed, patch.removed, patch.moved)
    path = path or _find_shown_file(call)
    if not path:
        return FileEffects()
    words = split_name(call.name)
    if words & _REMOVAL_WORDS and ("file" in call.name.lower() or words <= _REMOVAL_WORDS):
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
    if is_script(call.name, call.arguments):
        return FileEffects()
    written = tuple(_find_written_files(command)) if "(" in command else ()
    folder = find_entered_folder(command) if written else ""
    written = tuple(join_folder(folder, path) for path in written)
    if "code" in call.argument_map and "command" not in call.argument_map:
        return FileEffects(() if failed else written)
    file_effects = find_effects(command, frozenset(_REPORTER.findall(call.text)) if failed else frozenset())
    if failed:
        return FileEffects(file_effects.changed if not call.text.startswith("bash:") else ())
    moved = () if _MOVE_ERROR.search(call.text) else file_effects.moved
    return file_effects._replace(changed=(*file_effects.changed, *written), moved=moved)


def _is_edit_accepted(text: str) -> bool:
    return "has introduced new syntax error" not in text and "Your proposed edit" not in text


def _find_written_files(code: str) -> Iterator[str]:
    """Yield the files that Python code writes, if their names are literals or stand for one."""
    for pattern in (_PYTHON_OPEN, _PYTHON_PATH_WRITE, _EDIT_FUNCTION):
        yield from (match[2] for match in pattern.finditer(code))
    names = {match[1]: match[3] for match in _PYTHON_NAME.finditer(code)}
    for match in _PYTHON_NAME_WRITE.finditer(code) if names else ():
        if path := names.get(match[1] or match[2]):
            yield path
