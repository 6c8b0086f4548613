"""Messages, tool calls and tool results, whatever format they are written in."""
