"""Read the events that hosts send to hooks."""

import json
import re
from collections.abc import Callable, Mapping

from ctxkit.core.hosts.host import Answer, EventKind, HookEvent
from ctxkit.core.text.json_value import JsonValue

MAX_EVENT = 1 << 20
"""Maximum bytes of an event."""
MAX_CONTEXT = 9_000
"""Maximum characters of an answer's context: Claude Code cuts off what is past 10,000."""
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
INTRODUCTION = """\
ctxkit extracted these facts from the session before its compaction. They quote its transcript, tool output included.
The record below them covers the whole session, so part of it may be settled.

"""


def read_session_event(value: Mapping[str, JsonValue], kinds: Mapping[str, EventKind]) -> HookEvent | None:
    """Return an event by its name in the form that Claude Code, Codex and Gemini share, None for any other.

    A start of a session counts only after a compaction.
    """
    kind = kinds.get(read_text(value, "hook_event_name"))
    if kind is EventKind.COMMAND:
        return read_command(value.get("tool_input"))
    if kind is None or (kind is EventKind.RESUMPTION and read_text(value, "source") != "compact"):
        return None
    event = make_session_event(kind, read_text(value, "session_id"), read_text(value, "transcript_path"))
    return event._replace(is_prompt="prompt" in value) if event else None


def make_session_event(kind: EventKind, session: str, transcript: str) -> HookEvent | None:
    """Return an event of a session, None if its name is none: it becomes that of a file."""
    return HookEvent(kind, session, transcript) if _SESSION.fullmatch(session) else None


def read_command(tool_input: JsonValue) -> HookEvent | None:
    """Return the event of a tool that runs ``command``, or a list of ``commands``; None if its input has neither."""
    if not isinstance(tool_input, dict):
        return None
    has_command = isinstance(tool_input.get("command"), str) or isinstance(tool_input.get("commands"), list)
    return HookEvent(EventKind.COMMAND, tool_input=tool_input) if has_command else None


def change_commands(tool_input: Mapping[str, JsonValue], change: Callable[[str], str]) -> dict[str, JsonValue]:
    """Return the input of a tool with each of its commands changed."""
    changed = dict(tool_input)
    if isinstance(changed.get("command"), str):
        changed["command"] = change(changed["command"])
    if isinstance(changed.get("commands"), list):
        changed["commands"] = [change(item) if isinstance(item, str) else item for item in changed["commands"]]
    return changed


def make_context(page: str) -> str:
    """Return the text that brings a page back; "" for no page or one that is too long."""
    return f"{INTRODUCTION}{page}" if page and len(page) <= MAX_CONTEXT else ""


def make_prompt_addition(text: str) -> Answer:
    """Return the answer to UserPromptSubmit that adds a text to the prompt."""
    return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": text}}


def make_session_start(page: str) -> Answer:
    """Return the answer to SessionStart that puts a page into the context; {} for no page or one that is too long."""
    context = make_context(page)
    answer = {"hookEventName": "SessionStart", "additionalContext": context}
    return {"hookSpecificOutput": answer} if context else {}


def parse_event(data: bytes) -> Mapping[str, JsonValue]:
    """Return the object of an event, {} for anything else."""
    try:
        value: JsonValue = json.loads(data) if len(data) <= MAX_EVENT else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_text(value: Mapping[str, JsonValue], key: str) -> str:
    """Return a member that is a string, "" for anything else."""
    member = value.get(key)
    return member if isinstance(member, str) else ""
