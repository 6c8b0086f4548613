"""The names of the formats, and of members that their JSON has, for what does not import the formats."""

FORMAT_NAMES = (
    *("claude-code", "qwen-code", "codex", "copilot", "pi", "opencode", "openhands", "nanobot", "cursor"),
    *("atif", "gemini", "responses", "anthropic", "sharegpt", "swe-agent", "langchain", "openai", "chatml"),
)
MEMBERS = (
    *("role", "parts", "contents", "(?:chat_)?messages?", "conversations?", "from", "input", "history", "loglines"),
    *("observation", "action", "payload", "type", "requests"),
)
"""Patterns of names of members: JSON with none of them in its first 64 KB is no conversation in any format."""
