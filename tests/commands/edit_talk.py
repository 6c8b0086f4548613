"""A small conversation in three formats, for the tests of all edits."""

import json

SYSTEM = {"role": "system", "content": "Be brief."}
ASKED = {"role": "user", "content": "Fix the test"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.py"}'}}],
}
TOLD = {"role": "tool", "tool_call_id": "c1", "content": "x = 1"}
DONE = {"role": "assistant", "content": "Done."}
THANKS = {"role": "user", "content": "Thanks, now the docs"}
OK = {"role": "assistant", "content": "ok"}
CHAT = [SYSTEM, ASKED, CALLED, TOLD, DONE, THANKS, OK]
LINES = [json.dumps(turn).replace('"role"', '"n": 1.10, "role"').encode() + b"\n" for turn in CHAT]
TREE = [
    {"type": "user", "uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": "x"}
    | {"isSidechain": False, "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user", "content": f"word {number}"}}
    for number in range(4)
]


def anthropic(*contents: str) -> bytes:
    turns = [{"role": ("user", "assistant")[at % 2], "content": content} for at, content in enumerate(contents)]
    return json.dumps({"model": "claude", "max_tokens": 5, "system": "Be brief.", "messages": turns}, indent=1).encode()
