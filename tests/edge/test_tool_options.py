"""The options that name files of definitions reach a command together."""

import click
from click.testing import CliRunner

from ctxkit.edge.tool_files import ToolFiles
from ctxkit.edge.tool_options import add_source_options


def test_files_are_given_by_their_source() -> None:
    values = []

    @click.command()
    @click.argument("files", nargs=-1)
    @add_source_options
    @click.option("--other")
    def command(tool_files, other):
        values.append((tool_files, other))

    CliRunner().invoke(command, ["a", "--mcp-tools", "m", "--mcp-tools", "n", "--skill-tools", "s", "--builtin-tools", "b", "--other", "o"])
    assert values == [(ToolFiles(("a",), ("b",), ("s",), ("m", "n")), "o")]
