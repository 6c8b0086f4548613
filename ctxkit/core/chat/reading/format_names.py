"""The names of the formats, members of their JSON, and conversations without a message, which are in all of them."""

FORMAT_NAMES = (
    *("claude-code", "qwen-code", "codex", "copilot", "pi", "opencode", "openhands", "nanobot", "cursor"),
    *("atif", "gemini", "responses", "anthropic", "sharegpt", "swe-agent", "langchain", "openai", "chatml"),
)
MEMBERS = (
    *("role", "parts", "contents", "(?:chat_)?messages?", "conversations?", "from", "input", "history", "loglines"),
    *("observation", "action", "payload", "type", "requests"),
)
"""Patterns of names of members: JSON with none of them in its first 64 KB is no conversation in any format."""
LIST_MEMBERS = ("messages", "input", "contents", "history", "conversations")
"""Members that contain the messages of a request."""
EMPTY_BYTES = 1 << 20
"""Maximum bytes in which a request without messages is recognized."""


def is_empty_conversation(data: bytes) -> bool:
    """Return whether a conversation has no messages yet, so that there is no format and nothing to compact."""
    if not data.strip():
        return True
    if len(data) > EMPTY_BYTES or b"[" not in data:
        return False
    import json

    try:
        value = json.loads(data)
    except (ValueError, RecursionError):  # the parser reports deep nesting later
        return False
    return value == [] or (isinstance(value, dict) and any(value.get(key) == [] for key in LIST_MEMBERS))
