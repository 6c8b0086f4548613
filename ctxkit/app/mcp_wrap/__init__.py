"""Stand between an agent host and an MCP server: gate the results of its tools, and defer their definitions."""
