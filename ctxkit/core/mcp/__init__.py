"""The Model Context Protocol: its messages, and the tools that ctxkit offers with it."""
