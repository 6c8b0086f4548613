"""ctxkit mcp wrap."""

import click

from ctxkit.core.errors import Exit
from ctxkit.edge import options
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.request import CliRequest


@click.command("wrap", cls=Verb, context_settings={"allow_interspersed_args": False})
@options.add_wrap_options
@options.host_option
@option("--text-only", is_flag=True, help="Drop outputSchema, so that a map can stand for a structured result.")
@click.argument("argv", metavar="SERVER [ARG]...", nargs=-1, required=True, type=click.UNPROCESSED)
def command(request: CliRequest, host: str | None, text_only: bool, argv: tuple[str, ...]) -> Exit | int:
    """Start an MCP server, and gate the results of its tools.

    For hosts whose hooks cannot replace a result: the settings of the host name this
    command, with SERVER behind it. Messages pass as they are, in both directions. If the
    text of a result is too long, it is stored, and a map replaces it; the tool read_result,
    which is added to the others, reads a part of it. Definitions of tools that take too much
    of the window are deferred: tool_search finds them. The exit status is that of SERVER.

    \b
    $ ctxkit mcp wrap -- cat < /dev/null
    """
    from ctxkit.app.mcp_wrap.wrapping import wrap_server

    return wrap_server(argv, request, host, text_only=text_only)
