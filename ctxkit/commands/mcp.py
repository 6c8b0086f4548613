"""ctxkit mcp, which serves by itself, and its verb."""

import os
import sys
from collections.abc import Iterator
from typing import BinaryIO

import click

from ctxkit import __version__
from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.mcp.protocol import INVALID_REQUEST, McpError, McpServer, ToolAnswer, answer_line
from ctxkit.core.mcp.tools import INSTRUCTIONS, define_tool, list_tools
from ctxkit.core.named_tuple import NamedTuple
from ctxkit.core.text.json_value import JsonValue
from ctxkit.edge import options, settings
from ctxkit.edge.command_group import CommandGroup, Verb
from ctxkit.edge.option_types import option
from ctxkit.edge.request import CliRequest
from ctxkit.registry import MCP

MAX_MESSAGE = 1 << 20
"""Maximum bytes of a message."""


class ServingGroup(CommandGroup):
    """A group that does something without a verb."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; none are no reason to show the help."""
        return click.Group.parse_args(self, ctx, args)


@click.command(
    "mcp",
    cls=ServingGroup,
    verbs=MCP,
    invoke_without_command=True,
    subcommand_metavar="[COMMAND [ARG]...]",
)
@options.add_call_options
@options.host_option
def command(request: CliRequest, host: str | None) -> Exit:
    """Serve stored results to an agent host, as an MCP server.

    ctxkit init HOST --mcp puts this command into the settings of HOST. The tools are
    read_result, which reads a part of a stored result, and search, which searches all of
    them. If a session is named, compact_context compacts its conversation. stdin has one
    JSON message per line, and stdout one reply per line.

    \b
    $ echo '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}' | ctxkit mcp
    """
    verb = click.get_current_context().invoked_subcommand
    if verb is not None:
        if (request, host) != (CliRequest(), None):
            raise UsageError(f"options stand behind {verb}", hint=f"ctxkit mcp {verb} --help")
        return Exit.DONE
    if sys.stdin is None or sys.stdout is None or sys.stdin.isatty():
        raise UsageError("an agent host starts this server", hint="ctxkit init HOST --mcp")
    has_session = bool(request.session_name(settings.load_for_filter(strict=request.strict)))
    tools = list_tools(has_session=has_session)

    def call(name: str, arguments: dict[str, JsonValue]) -> ToolAnswer:
        """Return the answer of a tool."""
        from ctxkit.app.mcp_wrap.text_gating import OfferedTools, answer_tool_call

        return answer_tool_call(name, arguments, OfferedTools(tools, request, host))

    server = McpServer(__version__, INSTRUCTIONS, [define_tool(tool) for tool in tools], call)
    _serve(server, sys.stdin.buffer, sys.stdout.buffer)
    return Exit.DONE


def _serve(server: McpServer, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer messages until stdin ends."""
    import json

    for line in _read_lines(source):
        too_long = f"a message has at most {MAX_MESSAGE:,} bytes"
        reply = answer_line(line, server) if line else McpError(INVALID_REQUEST, too_long).to_reply(None)
        if reply is not None:
            sink.write(json.dumps(reply).encode() + b"\n")
            sink.flush()


def _read_lines(source: BinaryIO) -> Iterator[bytes]:
    """Yield the lines that are not empty; b"" for one that is too long."""
    while line := source.readline(MAX_MESSAGE + 1):
        if len(line) <= MAX_MESSAGE:
            if line.strip():
                yield line
            continue
        while line and not line.endswith(b"\n"):
            line = source.readline(MAX_MESSAGE)
        yield b""


class ServerAddress(NamedTuple):
    """The URL of a server, if it has one, and the headers of requests to it: whole ones, and those of variables."""

    url: str | None
    headers: tuple[str, ...]
    variables: tuple[str, ...]


@command.command("wrap", cls=Verb, context_settings={"allow_interspersed_args": False})
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
@options.collect_values(ServerAddress, "address")
def wrap_mcp_server(
    request: CliRequest, host: str | None, text_only: bool, address: ServerAddress, argv: tuple[str, ...]
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
    url, headers, variables = address
    if bool(argv) == (url is not None):
        raise UsageError("mcp wrap takes either SERVER or --url", hint="ctxkit mcp wrap -- SERVER [ARG]...")
    if url is None and (headers or variables):
        raise UsageError("--header and --header-env belong to --url")
    from ctxkit.app.mcp_wrap.wrapping import WrappedServer, wrap_server

    server = WrappedServer(argv)
    if url is not None:
        from ctxkit.app.mcp_wrap.wrapping import reach_server

        server = reach_server(url, headers, variables, os.environ)
    return wrap_server(server, request, host, text_only=text_only)
