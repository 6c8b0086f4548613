"""Codex: hooks in hooks.json, commands with the wrapping script in front."""

from collections.abc import Mapping

from ctxkit.core.hosts import hook_groups
from ctxkit.core.hosts.events import make_prompt_addition, make_session_start, read_session_event
from ctxkit.core.hosts.hook_script import make_hook_command
from ctxkit.core.hosts.host import Answer, EventKind, HookEvent, Host, McpSettings, Programs, SettingsPlace
from ctxkit.core.hosts.mcp_server import install_in_toml, remove_from_toml
from ctxkit.core.hosts.wrap_script import IN_CHILD, make_wrapping_scripts
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


def make_scripts(directory: str, programs: Programs) -> dict[str, str]:
    """Return the scripts by path."""
    return make_wrapping_scripts("codex", directory, *programs, run=IN_CHILD)


def install(text: str, directory: str) -> str:
    """Return the text of hooks.json with the hook; raise ValueError if it is not JSON or of another shape."""
    hook: dict[str, JsonValue] = {"type": "command", "command": make_hook_command(directory), "timeout": TIMEOUT}
    return hook_groups.add_hooks(text, hook, MATCHERS)


def remove(text: str, directory: str) -> str:
    """Return the text of hooks.json without the hook."""
    return hook_groups.remove_hooks(text, make_hook_command(directory), list(MATCHERS))


def is_installed(text: str, directory: str) -> bool:
    """Return whether hooks.json has the hook for each event."""
    return hook_groups.has_hooks(text, make_hook_command(directory), list(MATCHERS))


def read_event(value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return an event, None for one that has no answer."""
    return read_session_event(value, KINDS)


def make_rewrite(tool_input: Mapping[str, JsonValue]) -> Answer:
    """Return the answer that changes the input of the tool: Codex takes it only with "allow", and with no other key.

    Its rules and its sandbox still decide on the changed command.
    """
    answer = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": dict(tool_input)}
    return {"hookSpecificOutput": answer}


HOST = Host(
    name="codex",
    title="Codex",
    program="codex",
    settings={
        "user": SettingsPlace("hooks.json", default=".codex", variable="CODEX_HOME"),
        "project": SettingsPlace(".codex/hooks.json"),
    },
    make_scripts=make_scripts,
    install=install,
    remove=remove,
    is_installed=is_installed,
    read_event=read_event,
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
)
