"""Copilot CLI: a file of hooks, commands with the wrapping script in front."""

import json
from collections.abc import Mapping
from functools import partial

from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.hosts.host import (
    OTHER_TOOLS,
    SERVER_TOOLS,
    WRAPPED,
    Answer,
    EventKind,
    HookEvent,
    Host,
    HostCompaction,
    HostTool,
    SettingsPlace,
    make_session_event,
    read_command,
    read_text,
)
from ctxkit.core.hosts.mcp_server import MARK, OwnedFile, find_no_rivals, make_json_settings
from ctxkit.core.hosts.wrap_script import make_hook_command, make_wrapping_scripts
from ctxkit.core.text.json_value import JsonValue

TIMEOUT = 10
"""Seconds after which Copilot CLI goes on without the answer of the hook."""
EVENTS = ("preToolUse", "postToolUse", "userPromptSubmitted", "preCompact")
"""The events that call the hook; the input does not name them."""
COMPACTED = b'"session.compaction_complete"'


def make_hooks(directory: str) -> str:
    """Return the file of hooks; Copilot CLI does not read ``comment``."""
    hook = {"type": "command", "bash": make_hook_command(directory), "timeoutSec": TIMEOUT}
    comment = f"{MARK}copilot, removed by ctxkit init copilot --remove"
    return json.dumps({"version": 1, "comment": comment, "hooks": {event: [hook] for event in EVENTS}}, indent=2) + "\n"


def read_event(value: Mapping[str, JsonValue]) -> HookEvent | None:
    """Return the event that the members of an input show, None for one that has no answer."""
    session = read_text(value, "sessionId")
    if "trigger" in value and read_text(value, "transcriptPath"):
        return make_session_event(EventKind.COMPACTION, session, read_text(value, "transcriptPath"))
    if "toolResult" in value or "prompt" in value:
        event = make_session_event(EventKind.TURN, session, "")
        return event._replace(is_prompt="prompt" in value) if event else None
    return _read_command(value)


def _read_command(value: Mapping[str, JsonValue]) -> HookEvent | None:
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


def make_addition(text: str) -> Answer:
    """Return the answer that adds a text to a prompt or a tool result."""
    return {"additionalContext": text}


def find_compaction(transcript: bytes) -> HostCompaction | None:
    """Return the last compaction that succeeded, None if there is none; the event of its start has the same name."""
    at = transcript.rfind(COMPACTED)
    while at >= 0:
        start, end = transcript.rfind(b"\n", 0, at) + 1, transcript.find(b"\n", at)
        if id_ := _read_attempt(transcript[start : end if end >= 0 else None]):
            return HostCompaction(id_, max(transcript.find(id_.encode()), 0))
        at = transcript.rfind(COMPACTED, 0, start)
    return None


def _read_attempt(line: bytes) -> str:
    """Return the name of the compaction that a line reports as a success, "" for any other line."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    data = get_object(value, "data")
    return get_text(data, "compactionAttemptId") if data.get("success") is True else ""


FILE = OwnedFile(make_hooks, make_hook_command)

HOST = Host(
    name="copilot",
    title="Copilot CLI",
    program="copilot",
    settings={"user": SettingsPlace("hooks/ctxkit.json", default=".copilot", variable="COPILOT_HOME")},
    make_scripts=partial(make_wrapping_scripts, "copilot"),
    install=FILE.install,
    remove=FILE.remove,
    is_installed=FILE.is_installed,
    read_event=read_event,
    make_rewrite=make_rewrite,
    make_addition=make_addition,
    find_compaction=find_compaction,
    without_scripts="Copilot CLI runs its commands without ctxkit",
    find_rivals=find_no_rivals,
    names_home=True,
    mcp=make_json_settings(
        {"user": SettingsPlace("mcp-config.json", default=".copilot", variable="COPILOT_HOME")},
        rest={"type": "local", "args": [], "tools": ["*"]},
    ),
    tools=(
        HostTool("bash", "a script in front of its command", seen="1.0.102"),
        HostTool(SERVER_TOOLS, WRAPPED, seen="1.0.102"),
        HostTool(OTHER_TOOLS, note="a hook gets what the host has cut to 30 KB or less", seen="1.0.102"),
    ),
)
