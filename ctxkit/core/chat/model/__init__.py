"""The format-independent model of messages, tool calls and tool results."""
