"""Edit the settings of Claude Code so that its shell commands run through ctxkit."""

import re
from collections.abc import Iterator

from ctxkit.core.hosts.jsonc import parse_jsonc
from ctxkit.core.hosts.jsonc_edit import remove_value, set_member
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.shell import quote

VARIABLE = "CLAUDE_CODE_SHELL_PREFIX"
"""The program that Claude Code calls with the script of a tool call, a hook or a server as its one argument."""
PATH = ("env", VARIABLE)
RIVALS = ("rtk", "headroom", "context-mode", "lean-ctx")
"""Other programs that shorten tool output: two in a row lose twice."""

PREFIX_SCRIPT = """\
#!/bin/sh
# Written by "ctxkit init claude-code". Remove it with "ctxkit init claude-code --remove".
# Claude Code calls it with one argument: the script of a tool call, of a hook, or of an MCP server.
ctxkit={ctxkit}
python={python}
case $1 in
*" && eval '"*" && pwd -P >| "*)
    if [ -z "${{CTXKIT_DISABLE:-}}" ] && [ -x "$ctxkit" ] && [ -x "$python" ]; then
        exec "$ctxkit" shell --host claude-code -c "$1"
    fi
    exec "${{SHELL:-bash}}" -c "$1"
    ;;
esac
exec sh -c "$1"
"""


class ConflictError(ValueError):
    """The settings already name another program in the place of ctxkit."""


def make_prefix_script(ctxkit: str, python: str) -> str:
    """Return the program for ``VARIABLE``, which runs a script without ctxkit if ctxkit or its Python is gone."""
    return PREFIX_SCRIPT.format(ctxkit=quote(ctxkit), python=quote(python))


def install_prefix(text: str, program: str) -> str:
    """Return the text of settings in which ``VARIABLE`` names a program.

    Raise ConflictError if it names another one, ValueError if the text is not JSON or has another shape.
    """
    value = find_prefix(text)
    if value == program:
        return text
    if value is not None:
        raise ConflictError(f"sets {VARIABLE} to {str(value)[:200]!r}")
    return set_member(text, PATH, program)


def remove_prefix(text: str, program: str) -> str:
    """Return the text of settings in which ``VARIABLE`` does not name a program; another program's name stays."""
    return remove_value(text, PATH) if find_prefix(text) == program else text


def find_prefix(text: str) -> JsonValue:
    """Return the value of ``VARIABLE`` in the text of settings, None if it is not set; raise ValueError."""
    if not text.strip("\ufeff \t\r\n"):
        return None
    node = parse_jsonc(text).find(*PATH)
    return node.make_value() if node else None


def find_rivals(text: str) -> list[str]:
    """Return the names of other programs for shorter tool output that hooks in the settings call."""
    if not text.strip("\ufeff \t\r\n"):
        return []
    words = set()
    for command in _list_strings((parse_jsonc(text).find("hooks") or parse_jsonc("{}")).make_value()):
        words |= set(re.split(r"[^\w.-]+", command))
    return [name for name in RIVALS if name in words]


def _list_strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _list_strings(inner)
