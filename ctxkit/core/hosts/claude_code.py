"""Edit the settings of Claude Code so that its shell commands run through ctxkit."""

import re
from collections.abc import Iterator, Sequence

from ctxkit.core.hosts.jsonc import parse_jsonc
from ctxkit.core.hosts.jsonc_edit import append_item, remove_value, set_member
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.shell import quote
from ctxkit.core.text.switch import make_case_pattern

VARIABLE = "CLAUDE_CODE_SHELL_PREFIX"
"""The program that Claude Code calls with the script of a tool call, a hook or a server as its one argument."""
PATH = ("env", VARIABLE)
RIVALS = ("rtk", "headroom", "context-mode", "lean-ctx")
"""Other programs that shorten tool output: two in a row lose twice."""

EVENTS = {"PreCompact": "", "SessionStart": "compact"}
"""The events that call the hook, each with its matcher, "" for none."""
TIMEOUT = 10
"""Seconds after which Claude Code goes on without the answer of the hook."""

PREFIX_SCRIPT = """\
#!/bin/sh
# Written by "ctxkit init claude-code". Remove it with "ctxkit init claude-code --remove".
# Claude Code calls it with one argument: the script of a tool call, of a hook, or of an MCP server.
ctxkit={ctxkit}
python={python}
case $1 in
*" && eval '"*" && pwd -P >| "*)
    case ${{CTXKIT_DISABLE:-}} in
    {off}) [ -x "$ctxkit" ] && [ -x "$python" ] && exec "$ctxkit" shell --host claude-code -c "$1" ;;
    esac
    exec "${{SHELL:-bash}}" -c "$1"
    ;;
esac
exec sh -c "$1"
"""
HOOK_SCRIPT = """\
#!/bin/sh
# Written by "ctxkit init claude-code". Remove it with "ctxkit init claude-code --remove".
ctxkit={ctxkit}
python={python}
if [ -x "$ctxkit" ] && [ -x "$python" ]; then
    "$ctxkit" hook claude-code
fi
exit 0
"""


class ConflictError(ValueError):
    """The settings already name another program in the place of ctxkit."""


def make_prefix_script(ctxkit: str, python: str) -> str:
    """Return the program for ``VARIABLE``, which runs a script without ctxkit if ctxkit or its Python is gone."""
    return PREFIX_SCRIPT.format(ctxkit=quote(ctxkit), python=quote(python), off=make_case_pattern())


def make_hook_script(ctxkit: str, python: str) -> str:
    """Return the program that hooks call, which does nothing if ctxkit or its Python is gone."""
    return HOOK_SCRIPT.format(ctxkit=quote(ctxkit), python=quote(python))


def make_hook_command(program: str) -> str:
    """Return the command of a hook, which does nothing if its program is gone."""
    return f"[ ! -x {quote(program)} ] || {quote(program)}"


def install(text: str, prefix: str, hook: str) -> str:
    """Return the text of settings in which ``VARIABLE`` names a program, and hooks call another one.

    Raise ConflictError if the variable names another program, ValueError if the text is not JSON or of another shape.
    """
    value = find_prefix(text)
    if value is not None and value != prefix:
        raise ConflictError(f"sets {VARIABLE} to {str(value)[:200]!r}")
    text = text if value == prefix else set_member(text, PATH, prefix)
    command = {"type": "command", "command": make_hook_command(hook), "timeout": TIMEOUT}
    for event, matcher in EVENTS.items():
        if not any(_find_own_hooks(text, event, hook)):
            group = {"matcher": matcher, "hooks": [command]} if matcher else {"hooks": [command]}
            text = append_item(text, ["hooks", event], group)
    return text


def remove(text: str, prefix: str, hook: str) -> str:
    """Return the text of settings without the two programs; what names others stays."""
    if find_prefix(text) == prefix:
        text = _remove_empty(remove_value(text, PATH), PATH[:1])
    for event in EVENTS:
        for group, number, is_alone in reversed(list(_find_own_hooks(text, event, hook))):
            path = ["hooks", event] if is_alone else ["hooks", event, str(group), "hooks"]
            text = remove_value(text, path, group if is_alone else number)
        text = _remove_empty(_remove_empty(text, ["hooks", event]), ["hooks"])
    return text


def _find_own_hooks(text: str, event: str, program: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the indexes of groups and hooks that call a program, and whether the hook is alone in its group."""
    groups = parse_jsonc(text).find("hooks", event) if _has_content(text) else None
    for group, node in enumerate(groups.items if groups else ()):
        hooks = node.find("hooks")
        commands = [hook.make_value() for hook in hooks.items] if hooks else []
        for number, hook in enumerate(commands):
            if isinstance(hook, dict) and hook.get("command") == make_hook_command(program):
                yield group, number, len(commands) == 1


def _remove_empty(text: str, path: Sequence[str]) -> str:
    """Return the text without the object or array at a path if it is empty."""
    node = parse_jsonc(text).find(*path) if _has_content(text) else None
    is_empty = node is not None and node.kind != "scalar" and not node.members and not node.items
    return remove_value(text, path) if is_empty else text


def _has_content(text: str) -> bool:
    return bool(text.strip("\ufeff \t\r\n"))


def find_prefix(text: str) -> JsonValue:
    """Return the value of ``VARIABLE`` in the text of settings, None if it is not set; raise ValueError."""
    if not _has_content(text):
        return None
    node = parse_jsonc(text).find(*PATH)
    return node.make_value() if node else None


def find_rivals(text: str) -> list[str]:
    """Return the names of other programs for shorter tool output that hooks in the settings call."""
    if not _has_content(text):
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
