"""The tools that ``ctxkit mcp`` offers: each token of their definitions is in every request of the host."""

from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.tools.builtin import BuiltinTool

MAX_TOKENS = 400
"""Most tokens that the definitions and the instructions may take, in all."""
INSTRUCTIONS = "If a map replaces output, read the lines that you need with read_result."
READ_RESULT = BuiltinTool(
    "read_result",
    "Read a part of a stored tool result, which a map or a note with a ref replaced.",
    {
        "ref_id": {"type": "string", "description": "The ref, such as 3f9a2c81d0b47e65."},
        "lines": {"type": "string", "description": "Lines such as 46:200, counted from 1."},
        "focus": {"type": "string", "description": "Words: returns the lines that match best."},
        "offset": {"type": "integer", "description": "First byte, if there are no lines.", "minimum": 0, "default": 0},
        "limit": {"type": "integer", "description": "Number of bytes.", "minimum": 1, "default": 4096},
    },
    ("ref_id",),
)
SEARCH = BuiltinTool(
    "search",
    "Search the stored tool results of this project. Returns refs and line numbers.",
    {"query": {"type": "string", "description": 'Words, such as: disk full. "two words" stand in a row.'}},
    ("query",),
)
TOOL_SEARCH = BuiltinTool(
    "tool_search",
    "Returns the definitions of the deferred tools that match best; then call them by their names.",
    {"query": {"type": "string", "description": "What you want to do, in a few words."}},
    ("query",),
)
COMPACT_CONTEXT = BuiltinTool("compact_context", "Summarize the older part of this conversation to free space.", {})
READERS = (READ_RESULT, SEARCH)
"""The tools that need no session."""
READ_ONLY: dict[str, JsonValue] = {"readOnlyHint": True, "openWorldHint": False}
"""What a host may know of a tool that changes nothing."""


def list_tools(*, has_session: bool) -> tuple[BuiltinTool, ...]:
    """Return the tools: a conversation can be compacted only if ctxkit has it, in a session."""
    return (*READERS, COMPACT_CONTEXT) if has_session else READERS


def define_tool(tool: BuiltinTool) -> dict[str, JsonValue]:
    """Return the definition of a tool."""
    definition: dict[str, JsonValue] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.schema,
    }
    return {**definition, "annotations": READ_ONLY} if tool.name != COMPACT_CONTEXT.name else definition
