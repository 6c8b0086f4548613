"""The names of the formats, for options that do not import the formats."""

FORMAT_NAMES = (
    *("claude-code", "qwen-code", "codex", "copilot", "pi", "opencode", "openhands", "nanobot", "cursor"),
    *("atif", "gemini", "responses", "anthropic", "sharegpt", "swe-agent", "langchain", "openai", "chatml"),
)
