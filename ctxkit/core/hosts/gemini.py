"""Gemini CLI: a hook in settings.json, commands with the wrapping script in front.

Its PreCompress comes before each request, so that a compaction is found in the transcript afterwards.
"""

from collections.abc import Mapping

from ctxkit.core.hosts.events import read_session_event
from ctxkit.core.hosts.gemini_log import find_compaction
from ctxkit.core.hosts.hook_groups import HookGroups
from ctxkit.core.hosts.host import (
    OTHER_TOOLS,
    SERVER_TOOLS,
    WRAPPED,
    Answer,
    EventKind,
    HookEvent,
    Host,
    HostTool,
    Programs,
    SettingsPlace,
)
from ctxkit.core.hosts.mcp_server import make_json_settings
from ctxkit.core.hosts.wrap_script import make_wrapping_scripts
from ctxkit.core.text.json_value import JsonValue

MATCHERS = {"BeforeTool": "run_shell_command", "AfterTool": ".*", "BeforeAgent": ""}
"""The events that call the hook, each with its matcher, "" for none."""
KINDS = {"BeforeTool": EventKind.COMMAND, "AfterTool": EventKind.TURN, "BeforeAgent": EventKind.TURN}
TIMEOUT = 10_000
"""Milliseconds after which Gemini CLI goes on without the answer of the hook."""


def make_scripts(directory: str, programs: Programs) -> dict[str, str]:
    """Return the scripts by path."""
    return make_wrapping_scripts("gemini", directory, *programs)


def read_event(value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return an event, None for one that has no answer."""
    return read_session_event(value, KINDS)


def make_rewrite(tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return the answer that changes the input of the tool."""
    return {"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": dict(tool_input)}}


def make_addition(text: str) -> Answer:
    """Return the answer that adds a text to a prompt or a tool result."""
    return {"hookSpecificOutput": {"additionalContext": text}}


PLACES = {
    "user": SettingsPlace(".gemini/settings.json", default=".", variable="GEMINI_CLI_HOME"),
    "project": SettingsPlace(".gemini/settings.json"),
}

HOOKS = HookGroups(MATCHERS, {"type": "command", "name": "ctxkit", "command": "", "timeout": TIMEOUT})

HOST = Host(
    name="gemini",
    title="Gemini CLI",
    program="gemini",
    settings=PLACES,
    make_scripts=make_scripts,
    install=HOOKS.install,
    remove=HOOKS.remove,
    is_installed=HOOKS.is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    make_addition=make_addition,
    find_compaction=find_compaction,
    without_scripts="Gemini CLI runs its commands without ctxkit",
    mcp=make_json_settings(PLACES),
    tools=(
        HostTool("run_shell_command", "a script in front of its command", seen="0.61.0"),
        HostTool(SERVER_TOOLS, WRAPPED, seen="0.61.0"),
        HostTool(OTHER_TOOLS, note="a hook could only deny a result, which makes it an error"),
    ),
)
