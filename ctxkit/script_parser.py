"""Parse shell scripts with the engine that knows their grammar, which is loaded when a script is parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxkit.core.text.pipelines import Pipeline
    from ctxkit.core.text.shell_commands import ShellCommand


def parse_script(script: str) -> list[ShellCommand] | None:
    """Return the commands of a script at any depth, None if it cannot be parsed."""
    from ctxkit.engines.shell_parser import list_script_commands

    return list_script_commands(script)


def list_comments(script: str) -> list[str]:
    """Return the comments of a script."""
    from ctxkit.engines.shell_parser import list_script_comments

    return list_script_comments(script)


def list_pipelines(script: str) -> list[Pipeline]:
    """Return the pipelines of the top level of a script."""
    from ctxkit.engines import shell_pipelines

    return shell_pipelines.list_pipelines(script)
