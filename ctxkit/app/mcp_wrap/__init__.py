"""Stand between an agent host and one of its MCP servers: gate the results of its tools, and defer their definitions."""
