"""What an agent host gets back after its compaction: the answer of ctxkit's hook."""

import json
import os
import subprocess
from typing import Any

from bench.compact.compacting import SECONDS, temporary
from bench.place import Place

EVENTS: tuple[dict[str, Any], ...] = (
    {"hook_event_name": "PreCompact"},
    {"hook_event_name": "SessionStart", "source": "compact"},
)
"""What Claude Code sends before a compaction and after it."""


def read_host_page(place: Place, data: str) -> str:
    """Return the text that Claude Code gets after the compaction of a conversation, empty if it gets none."""
    path = temporary(place, ".json")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(data)
    environment = {**os.environ, "CTXKIT_DATA_DIR": os.path.dirname(path)}
    out = b""
    for event in EVENTS:
        row = json.dumps({**event, "session_id": "s", "transcript_path": path})
        command = [*place.ctxkit, "hook", "claude-code"]
        out = subprocess.run(
            command, input=row.encode(), capture_output=True, timeout=SECONDS, check=False, env=environment
        ).stdout
    return str(json.loads(out or b"{}").get("hookSpecificOutput", {}).get("additionalContext", ""))
