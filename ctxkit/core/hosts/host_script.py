"""Find the command that a model typed in the script that its host runs."""

import re
from collections.abc import Callable

from ctxkit.core.text.quantity import is_on

_CLAUDE_CODE = re.compile(r"(?<!\S)eval '((?:[^']|'\"'\"')*)'(?: < /dev/null)? && pwd -P >\| \S+$")
"""The end of Claude Code's script (2.1.330): snapshot && options && eval 'COMMAND' < /dev/null && pwd -P >| FILE."""
_SOURCED = re.compile(r"test -r ((?:[^'\"\s$]|'[^'\n]*'|\"'\"|\$'(?:[^'\\\n]|\\[^\n])*')+) && \. \1; ")
"""What a hook puts in front of a command."""
_GEMINI_END = "\n)\n__code=$?\nexit $__code"
"""The end of Gemini CLI's script (0.61.0)."""
_ASSIGNMENT = re.compile(r"\s*(?:export\s+)?(?:[A-Za-z_]\w*=\S*\s+)*CTXKIT_DISABLE=([^\s;&|<>()]*)")


def find_command(script: str) -> str:
    """Return the command inside the script of a host, the script itself if it has no known shape."""
    sourced = _SOURCED.search(script)
    if sourced:
        return script[sourced.end() :].removesuffix(_GEMINI_END)
    match = _CLAUDE_CODE.search(script)
    return match[1].replace("'\"'\"'", "'") if match else script


def replace_command(script: str, change: Callable[[str], str]) -> str:
    """Return the script of a host with the command inside it changed."""
    sourced = _SOURCED.search(script)
    if sourced:
        command = find_command(script)
        return script[: sourced.end()] + change(command) + script[sourced.end() + len(command) :]
    match = _CLAUDE_CODE.search(script)
    if match is None:
        return change(script)
    quoted = change(find_command(script)).replace("'", "'\"'\"'")
    return script[: match.start(1)] + quoted + script[match.end(1) :]


def remove_switch(command: str) -> str:
    """Return a command without the assignment of CTXKIT_DISABLE at its beginning."""
    match = _ASSIGNMENT.match(command)
    return command[match.end() :].lstrip(" \t\n;&") if match else command


def is_disabled(command: str) -> bool:
    """Return whether a command begins with an assignment that turns ctxkit off, as in ``CTXKIT_DISABLE=1 make``."""
    match = _ASSIGNMENT.match(command)
    return match is not None and is_on(match[1].strip("'\""))
