"""Copilot CLI: a file of hooks, commands with the wrapping script in front."""

import json
from collections.abc import Mapping

from ctxkit.core.hosts.event_json import read_text
from ctxkit.core.hosts.events import read_command
from ctxkit.core.hosts.hook_script import make_hook_command
from ctxkit.core.hosts.host import Answer, HookEvent, Host, Programs, SettingsPlace, make_no_answer
from ctxkit.core.hosts.mcp_server import make_json_settings
from ctxkit.core.hosts.owned_file import MARK, find_no_rivals, install_file, remove_file
from ctxkit.core.hosts.wrap_script import make_wrapping_scripts
from ctxkit.core.text.json_value import JsonValue

TIMEOUT = 10
"""Seconds after which Copilot CLI goes on without the answer of the hook."""


def make_scripts(directory: str, programs: Programs) -> dict[str, str]:
    """Return the scripts by path."""
    return make_wrapping_scripts("copilot", directory, *programs)


def make_hooks(directory: str) -> str:
    """Return the file of hooks; Copilot CLI does not read ``comment``."""
    hook = {"type": "command", "bash": make_hook_command(directory), "timeoutSec": TIMEOUT}
    comment = f"{MARK}copilot, removed by ctxkit init copilot --remove"
    return json.dumps({"version": 1, "comment": comment, "hooks": {"preToolUse": [hook]}}, indent=2) + "\n"


def install(text: str, directory: str) -> str:
    """Return the file of hooks; raise ConflictError if another program wrote the one that is there."""
    return install_file(text, make_hooks(directory))


def remove(text: str, directory: str) -> str | None:
    """Return None if the file belongs to ctxkit, else its text."""
    return remove_file(text, make_hook_command(directory))


def is_installed(text: str, directory: str) -> bool:
    """Return whether the file calls the hook."""
    return remove(text, directory) is None


def read_event(value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return the event of a command, None for another tool; the arguments may be a string with JSON."""
    arguments = value.get("toolArgs")
    if read_text(value, "toolName") != "bash":
        return None
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return None
    return read_command(arguments)


def make_rewrite(tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return the answer that changes the arguments of the tool."""
    return {"modifiedArgs": dict(tool_input)}


HOST = Host(
    name="copilot",
    title="Copilot CLI",
    program="copilot",
    settings={"user": SettingsPlace("hooks/ctxkit.json", default=".copilot", variable="COPILOT_HOME")},
    make_scripts=make_scripts,
    install=install,
    remove=remove,
    is_installed=is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    make_resumption=make_no_answer,
    without_scripts="Copilot CLI runs its commands without ctxkit",
    find_rivals=find_no_rivals,
    names_home=True,
    mcp=make_json_settings(
        {"user": SettingsPlace("mcp-config.json", default=".copilot", variable="COPILOT_HOME")},
        rest={"type": "local", "args": [], "tools": ["*"]},
    ),
)
