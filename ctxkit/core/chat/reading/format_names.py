"""The names of the formats, which options offer without reading the formats themselves."""

FORMAT_NAMES = (
    *("claude-code", "qwen-code", "codex", "pi", "opencode", "openhands", "gemini", "responses", "anthropic"),
    *("sharegpt", "swe-agent", "langchain", "openai", "chatml"),
)
