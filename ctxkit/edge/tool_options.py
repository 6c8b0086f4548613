"""Define the options that name files of tool definitions."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from ctxkit.edge.option_types import renamed_option
from ctxkit.edge.options import Command
from ctxkit.edge.tool_files import ToolFiles


def _make_source_option(name: str, help_text: str) -> Callable[[Command], Command]:
    """Return the option that names files of one source."""
    return renamed_option(
        f"--{name}-tools", name, multiple=True, metavar="F", renamed_from=(f"--{name}",), help=help_text
    )


_SOURCES = (
    _make_source_option("builtin", "Read definitions of built-in tools from F."),
    _make_source_option("skill", "Read definitions of skills from F."),
    _make_source_option("mcp", "Read definitions of MCP servers from F."),
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
