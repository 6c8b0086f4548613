"""The text that brings ctxkit to an agent that has no setup of its own."""

import json

INSTRUCTIONS = """\
- Run commands with long output as `ctxkit run -- COMMAND`. The exit status is that of COMMAND.
- If the output is a map, its last line has the command that reads a part: `ctxkit cache get REF --lines A:B`.
- `ctxkit run --focus 'WORDS' -- COMMAND` puts the lines about WORDS first, and `ctxkit cache get REF --focus 'WORDS'`
  finds them later.
- `CTXKIT_DISABLE=1 ctxkit run -- COMMAND` prints everything.
"""
"""What a model needs to know to gate the output of its commands itself."""
GENERIC_SNIPPET = f"""\
# For the instructions of the agent (AGENTS.md):

{INSTRUCTIONS}
# For the environment of the agent (set the model that it uses):

export CTXKIT_MODEL=qwen3-30b
"""


def make_server_snippet(program: str) -> str:
    """Return the entry for the MCP servers of an agent that reads the usual form."""
    servers = {"mcpServers": {"ctxkit": {"command": program, "args": ["mcp"]}}}
    return f"\n# For the MCP servers of the agent:\n\n{json.dumps(servers, indent=2)}\n"
