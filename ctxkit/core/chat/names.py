"""The names of the formats, which options offer without reading the formats themselves."""

NAMES = (
    *("claude-code", "codex", "pi", "openhands", "gemini", "responses", "anthropic"),
    *("sharegpt", "swe-agent", "openai", "chatml"),
)
