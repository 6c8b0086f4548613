"""ctxkit mcp wrap."""

import os

import click

from ctxkit.core.errors import Exit, UsageError
from ctxkit.edge import options
from ctxkit.edge.command_group import Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.request import CliRequest


@click.command("wrap", cls=Verb, context_settings={"allow_interspersed_args": False})
@options.add_wrap_options
@options.host_option
@option("--text-only", is_flag=True, help="Drop outputSchema, so that a map can stand for a structured result.")
@option("--url", metavar="URL", help="Wrap the server at URL, which speaks Streamable HTTP.")
@option("--header", "headers", metavar="HEADER", multiple=True, help="Send HEADER, 'Name: value'; may be repeated.")
@option(
    *("--header-env", "variables"),
    metavar="NAME=VARIABLE",
    multiple=True,
    help="Send header NAME with the value of VARIABLE; may be repeated.",
)
@click.argument("argv", metavar="[SERVER [ARG]...]", nargs=-1, type=click.UNPROCESSED)
def command(
    request: CliRequest,
    host: str | None,
    text_only: bool,
    url: str | None,
    headers: tuple[str, ...],
    variables: tuple[str, ...],
    argv: tuple[str, ...],
) -> Exit | int:
    """Gate the results of an MCP server: a program, or the server at a URL.

    For hosts whose hooks cannot replace a result: the settings of the host name this
    command, with SERVER behind it, or --url. Messages pass as they are, in both directions.
    If the text of a result is too long, it is stored, and a map replaces it; the tool
    read_result, which is added to the others, reads a part of it. Definitions of tools that
    take too much of the window are deferred: tool_search finds them. The exit status is that
    of SERVER.

    \b
    $ ctxkit mcp wrap -- cat < /dev/null
    """
    if bool(argv) == (url is not None):
        raise UsageError("mcp wrap takes either SERVER or --url", hint="ctxkit mcp wrap -- SERVER [ARG]...")
    if url is None and (headers or variables):
        raise UsageError("--header and --header-env belong to --url")
    from ctxkit.app.mcp_wrap.wrapping import WrappedServer, wrap_server

    server = WrappedServer(argv)
    if url is not None:
        from ctxkit.app.mcp_wrap.http_server import reach_server

        server = reach_server(url, headers, variables, os.environ)
    return wrap_server(server, request, host, text_only=text_only)
