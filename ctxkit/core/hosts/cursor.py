"""Cursor: a hook in hooks.json, commands with the wrapping script in front.

Untested: written from the published description of its hooks, cursor.com/docs/agent/hooks, and never seen on Cursor.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from ctxkit.core.hosts.host import (
    OTHER_TOOLS,
    Answer,
    HookEvent,
    Host,
    HostTool,
    SettingsPlace,
    has_content,
    read_command,
    read_text,
    remove_empty,
)
from ctxkit.core.hosts.jsonc import append_item, parse_jsonc, remove_value, set_member
from ctxkit.core.hosts.mcp_server import make_json_settings
from ctxkit.core.hosts.wrap_script import make_hook_command, make_wrapping_scripts
from ctxkit.core.text.json_value import JsonValue

EVENT, TOOL = "preToolUse", "Shell"
PATH = ("hooks", EVENT)
TIMEOUT = 10
"""Seconds after which Cursor goes on without the answer of the hook."""


def install(text: str, directory: str) -> str:
    """Return the text of hooks.json with the hook; raise ValueError if it is not JSON or of another shape."""
    if is_installed(text, directory):
        return text
    if not has_content(text) or not {"version", "hooks"} & set(parse_jsonc(text).members):
        text = set_member(text, ("version",), 1)
    hook: JsonValue = {"command": make_hook_command(directory), "matcher": TOOL, "timeout": TIMEOUT}
    return append_item(text, PATH, hook)


def remove(text: str, directory: str) -> str:
    """Return the text of hooks.json without the hook; the version of the hooks goes with the last one."""
    numbers = list(_find_hooks(text, directory))
    if not numbers:
        return text
    for number in reversed(numbers):
        text = remove_value(text, PATH, number)
    text = remove_empty(remove_empty(text, PATH), PATH[:1])
    hooks = parse_jsonc(text).find("hooks")
    has_others = any(member.node.items for member in hooks.members.values()) if hooks else False
    return text if has_others else remove_value(text, ("version",))


def is_installed(text: str, directory: str) -> bool:
    """Return whether hooks.json has the hook."""
    return any(True for _ in _find_hooks(text, directory))


def _find_hooks(text: str, directory: str) -> Iterator[int]:
    """Yield the indexes of the hooks that run the command of ctxkit."""
    hooks = parse_jsonc(text).find(*PATH) if has_content(text) else None
    for number, node in enumerate(hooks.items if hooks else ()):
        command = node.find("command")
        if command is not None and command.make_value() == make_hook_command(directory):
            yield number


def read_event(value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return the event of a command, None for another tool."""
    is_command = read_text(value, "hook_event_name") == EVENT and read_text(value, "tool_name") == TOOL
    return read_command(value.get("tool_input")) if is_command else None


def make_rewrite(tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return the answer that changes the input of the tool, without a decision on whether it may run."""
    return {"updated_input": dict(tool_input)}


HOST = Host(
    name="cursor",
    title="Cursor",
    program="cursor-agent",
    settings={
        "user": SettingsPlace(".cursor/hooks.json", default="."),
        "project": SettingsPlace(".cursor/hooks.json"),
    },
    make_scripts=partial(make_wrapping_scripts, "cursor"),
    install=install,
    remove=remove,
    is_installed=is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    without_scripts="Cursor runs its commands without ctxkit",
    mcp=make_json_settings(
        {
            "user": SettingsPlace(".cursor/mcp.json", default="."),
            "project": SettingsPlace(".cursor/mcp.json"),
        }
    ),
    is_untested=True,
    tools=(
        HostTool("Shell", "a script in front of its command"),
        HostTool(OTHER_TOOLS, note="no hook is known that replaces a result"),
    ),
)
