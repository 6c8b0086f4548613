"""The tool call in the JavaScript that Codex's tool exec runs."""

import re
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import InvalidJsonError, JsonTooDeepError, decode_value

_CALL = re.compile(r"\btools\.(\w{1,60})\(")
_PATCH = '"*** Begin Patch'
MAX_CALLS = 40
"""Maximum number of commands of one script that are read."""


class EmbeddedCall(NamedTuple):
    """The name of a tool and its arguments."""

    name: str
    arguments: JsonValue


def read_script_call(name: str, arguments: JsonValue) -> EmbeddedCall:
    """Return the call in a script of Codex's tool exec: its commands, its patch or its plan; any other call as it is.

    A script that calls several tools, or builds its arguments, stays a script.

    >>> read_script_call("exec", 'const r = await tools.exec_command({"cmd":"ls"}); text(r.output);')
    EmbeddedCall(name='exec_command', arguments={'cmd': 'ls'})
    """
    script = arguments if isinstance(arguments, str) and is_script(name, arguments) else ""
    names = set(_CALL.findall(script)) if "tools." in script else set()
    call = _read_single(names.pop(), script) if len(names) == 1 else None
    return call or EmbeddedCall(name, arguments)


def is_script(name: str, arguments: JsonValue) -> bool:
    """Return whether a call is a script of Codex's tool exec: its text is JavaScript, no shell command."""
    return name == "exec" and isinstance(arguments, str)


def _read_single(tool: str, script: str) -> EmbeddedCall | None:
    if tool == "apply_patch":
        patch = _decode(script, script.find(_PATCH)) if _PATCH in script else None
        return EmbeddedCall(tool, {"input": patch}) if isinstance(patch, str) else None
    values = [_decode(script, match.end()) for match in islice(_CALL.finditer(script), MAX_CALLS)]
    maps = [value for value in values if isinstance(value, Mapping)]
    if not maps or len(maps) < len(values):
        return None
    if tool == "exec_command":
        commands = [command for value in maps if isinstance(command := value.get("cmd"), str)]
        return EmbeddedCall(tool, {**maps[0], "cmd": "\n".join(commands)}) if commands else None
    return EmbeddedCall(tool, maps[-1]) if tool == "update_plan" else None


def _decode(script: str, at: int) -> JsonValue:
    """Return the JSON value at a position, None if there is none."""
    try:
        return decode_value(script, at)[0]
    except (InvalidJsonError, JsonTooDeepError):
        return None
