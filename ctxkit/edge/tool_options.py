"""Define the options that name files of tool definitions."""

from functools import wraps
from typing import Any

from ctxkit.edge.option_types import option
from ctxkit.edge.options import Command
from ctxkit.edge.tool_files import ToolFiles

_SOURCES = (
    option("--builtin", multiple=True, metavar="F", help="Read definitions of built-in tools from F."),
    option("--skill", multiple=True, metavar="F", help="Read definitions of skills from F."),
    option("--mcp", multiple=True, metavar="F", help="Read definitions of MCP servers from F."),
)


def add_source_options(command: Command) -> Command:
    """Add the options for files by their source; the command gets all files as its argument ``tool_files``."""

    @wraps(command)
    def run_command(
        files: tuple[str, ...], builtin: tuple[str, ...], skill: tuple[str, ...], mcp: tuple[str, ...], **values: Any
    ) -> Any:
        """Call the command with its files collected."""
        return command(tool_files=ToolFiles(files, builtin, skill, mcp), **values)

    added: Command = run_command
    for decorate in reversed(_SOURCES):
        added = decorate(added)
    return added
