"""Codex: hooks in hooks.json, commands with the wrapping script in front."""

from collections.abc import Mapping
from functools import partial

from ctxkit.core.hosts.host import (
    OTHER_TOOLS,
    SERVER_TOOLS,
    WRAPPED,
    Answer,
    EventKind,
    HookGroups,
    Host,
    HostTool,
    McpSettings,
    SettingsPlace,
    make_prompt_addition,
    make_session_start,
    read_session_event,
)
from ctxkit.core.hosts.mcp_server import install_in_toml, remove_from_toml
from ctxkit.core.hosts.wrap_script import make_wrapping_scripts
from ctxkit.core.text.json_value import JsonValue

MATCHERS = {"PreToolUse": "Bash", "PreCompact": "", "SessionStart": "compact", "UserPromptSubmit": ""}
"""The events that call the hook, each with its matcher, "" for none."""
KINDS = {
    "PreToolUse": EventKind.COMMAND,
    "PreCompact": EventKind.COMPACTION,
    "SessionStart": EventKind.RESUMPTION,
    "UserPromptSubmit": EventKind.TURN,
}
TIMEOUT = 10
"""Seconds after which Codex goes on without the answer of the hook."""


def make_rewrite(tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return the answer that changes the input of the tool: Codex takes it only with "allow", and with no other key.

    Its rules and its sandbox still decide on the changed command.
    """
    answer = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": dict(tool_input)}
    return {"hookSpecificOutput": answer}


HOOKS = HookGroups(MATCHERS, {"type": "command", "command": "", "timeout": TIMEOUT})

HOST = Host(
    name="codex",
    title="Codex",
    program="codex",
    settings={
        "user": SettingsPlace("hooks.json", default=".codex", variable="CODEX_HOME"),
        "project": SettingsPlace(".codex/hooks.json"),
    },
    make_scripts=partial(make_wrapping_scripts, "codex"),
    install=HOOKS.install,
    remove=HOOKS.remove,
    is_installed=HOOKS.is_installed,
    read_event=partial(read_session_event, kinds=KINDS),
    make_rewrite=make_rewrite,
    make_resumption=make_session_start,
    make_addition=make_prompt_addition,
    without_scripts="Codex runs its commands without ctxkit",
    needs_trust=True,
    uses_login_shell=True,
    mcp=McpSettings(
        {"user": SettingsPlace("config.toml", default=".codex", variable="CODEX_HOME")},
        install_in_toml,
        remove_from_toml,
    ),
    tools=(
        HostTool("exec_command", "a script in front of its command", seen="0.169.0"),
        HostTool(SERVER_TOOLS, WRAPPED, seen="0.169.0"),
        HostTool(OTHER_TOOLS, note="a hook could only block a result, which drops its exit status"),
    ),
)
