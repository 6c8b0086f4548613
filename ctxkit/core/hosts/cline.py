"""Cline: a program that its hook starts, commands with the wrapping script in front."""

from collections.abc import Mapping
from functools import partial

from ctxkit.core.hosts.host import (
    OTHER_TOOLS,
    Answer,
    HookEvent,
    Host,
    HostTool,
    SettingsPlace,
    read_command,
    read_text,
)
from ctxkit.core.hosts.mcp_server import MARK, OwnedFile, find_no_rivals
from ctxkit.core.hosts.wrap_script import HOOK, make_wrapping_scripts
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.shell import quote

PROGRAM = """\
#!/bin/sh
# {mark}cline. Remove it with "ctxkit init cline --remove".
[ ! -x {hook} ] || exec {hook}
"""
"""What Cline starts before each tool."""


def read_event(value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return the event of a list of commands, None for another tool."""
    call = value.get("tool_call")
    if not isinstance(call, dict) or read_text(call, "name") != "run_commands":
        return None
    return read_command(call.get("input"))


def make_rewrite(tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return the answer that changes the input of the tool."""
    return {"overrideInput": dict(tool_input)}


FILE = OwnedFile(
    lambda directory: PROGRAM.format(mark=MARK, hook=quote(f"{directory}/{HOOK}")),
    lambda directory: quote(f"{directory}/{HOOK}"),
)

HOST = Host(
    name="cline",
    title="Cline",
    program="cline",
    settings={"user": SettingsPlace("hooks/PreToolUse", default=".cline", variable="CLINE_DIR")},
    make_scripts=partial(make_wrapping_scripts, "cline"),
    install=FILE.install,
    remove=FILE.remove,
    is_installed=FILE.is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    without_scripts="Cline runs its commands without ctxkit",
    find_rivals=find_no_rivals,
    runs_settings=True,
    tools=(
        HostTool("run_commands", "a script in front of its command", seen="3.0.65"),
        HostTool(OTHER_TOOLS, note="no hook is known that replaces a result"),
    ),
)
