"""Read the events that Claude Code sends to hooks, and make the answers."""

import json
import re
from typing import NamedTuple

from ctxkit.core.text.json_value import JsonValue

MAX_EVENT = 1 << 20
"""Maximum bytes of an event."""
MAX_CONTEXT = 9_000
"""Maximum characters of an answer's context: Claude Code cuts off what is past 10,000."""
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_INTRODUCTION = """\
ctxkit extracted these facts from the session before its compaction. They quote its transcript, tool output included.

"""


class HookEvent(NamedTuple):
    """An event: its name, the session, the path of the transcript, and what a session starts from."""

    name: str
    session: str
    transcript: str
    source: str


def parse_event(data: bytes) -> HookEvent | None:
    """Return an event, None for anything else."""
    try:
        value: JsonValue = json.loads(data) if len(data) <= MAX_EVENT else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    texts = [value.get(key) for key in ("hook_event_name", "session_id", "transcript_path", "source")]
    name, session, transcript, source = (text if isinstance(text, str) else "" for text in texts)
    return HookEvent(name, session, transcript, source) if name and _SESSION.fullmatch(session) else None


def make_session_start(page: str) -> dict[str, JsonValue]:
    """Return the answer to SessionStart that puts a page into the context; {} for no page or one that is too long."""
    if not page or len(page) > MAX_CONTEXT:
        return {}
    context = f"{_INTRODUCTION}{page}"
    return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context}}
