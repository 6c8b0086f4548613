"""Speak Streamable HTTP to an MCP server, for a client that speaks stdio."""
