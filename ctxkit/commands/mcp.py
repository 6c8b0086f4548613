"""ctxkit mcp."""

import sys
from collections.abc import Iterator
from typing import BinaryIO

import click

from ctxkit import __version__
from ctxkit.core.calls.call_result import make_error_result
from ctxkit.core.errors import CtxkitError, Exit, UsageError
from ctxkit.core.hosts.profiles import PROFILES
from ctxkit.core.mcp.protocol import INVALID_REQUEST, McpError, McpServer, ToolAnswer, answer_line
from ctxkit.core.mcp.served_tools import INSTRUCTIONS, define_tool, list_tools
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.tools.builtin import BuiltinTool
from ctxkit.edge import options, settings
from ctxkit.edge.command_group import Verb
from ctxkit.edge.request import CliRequest

MAX_MESSAGE = 1 << 20
"""Maximum bytes of a message."""


@click.command("mcp", cls=Verb)
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
    if sys.stdin is None or sys.stdout is None or sys.stdin.isatty():
        raise UsageError("an agent host starts this server", hint="ctxkit init HOST --mcp")
    has_session = bool(request.session_name(settings.load_for_filter(strict=request.strict)))
    tools = list_tools(has_session=has_session)

    def call(name: str, arguments: dict[str, JsonValue]) -> ToolAnswer:
        """Return the answer of a tool."""
        return _call_tool(name, arguments, tools, request, host)

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


def _call_tool(
    name: str, arguments: dict[str, JsonValue], tools: tuple[BuiltinTool, ...], request: CliRequest, host: str | None
) -> ToolAnswer:
    """Answer a call; one that parses a conversation runs in a worker process."""
    from ctxkit.app.calls.functions import ISOLATED
    from ctxkit.app.services import workers

    def answer() -> tuple[bytes, bool]:
        """Return the result and whether it is an error."""
        return _answer_call(name, arguments, tools, request, host)

    try:
        content, is_error = workers.isolate(answer, MAX_MESSAGE) if name in ISOLATED else answer()
    except (CtxkitError, OSError) as error:
        result = make_error_result(f"{name} failed: {error}", "go on without this result")
        content, is_error = result.content, result.is_error
    return ToolAnswer(content.decode("utf-8", "replace"), is_error)


def _answer_call(
    name: str, arguments: dict[str, JsonValue], tools: tuple[BuiltinTool, ...], request: CliRequest, host: str | None
) -> tuple[bytes, bool]:
    """Return the result of a call under the settings of now, and whether it is an error."""
    from ctxkit.app.calls.conditions import CallContext
    from ctxkit.app.calls.functions import answer_call, record_result
    from ctxkit.app.services import sessions
    from ctxkit.core.calls.function_call import FunctionCall
    from ctxkit.edge.host_limits import apply_host_limits, cap_result

    config = settings.load_for_filter(strict=request.strict, session=request.session)
    if host is not None:
        request = apply_host_limits(request, config, PROFILES[host])
    request, reservation = sessions.open_session(request, config, create_missing=False, unknown_window="assume")
    request = cap_result(request, config)
    if reservation is not None:
        request = request._replace(session=reservation.name)
    context, function_call = CallContext(request, config, reservation), FunctionCall(name, arguments)
    result = answer_call(function_call, context, tools)
    record_result(result, function_call, context)
    return result.content, result.is_error
