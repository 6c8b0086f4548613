"""Read JSON objects of hosts."""

import json
from collections.abc import Mapping

from ctxkit.core.text.json_value import JsonValue

MAX_EVENT = 1 << 20
"""Maximum bytes of an event."""


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
