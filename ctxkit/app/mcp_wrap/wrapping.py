"""Relay messages between a host and an MCP server, and change the results of tools/call and tools/list."""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import click

from ctxkit import __version__
from ctxkit.app.mcp_wrap.text_gating import WrapContext, mask_line, open_text_gate
from ctxkit.app.services import engines
from ctxkit.core.chat.editing import ValuePatch
from ctxkit.core.errors import MissingDependencyError, UsageError
from ctxkit.core.mcp.http_messages import PARAMETER, TOKEN
from ctxkit.core.mcp.protocol import (
    INTERNAL_ERROR,
    ClientLine,
    McpError,
    McpServer,
    PendingRequest,
    Reply,
    RequestId,
    ToolAnswer,
    answer_message,
    decode_line,
    find_replies,
    patch_line,
    remove_messages,
    route_client_line,
)
from ctxkit.core.mcp.tools import (
    READ_RESULT,
    TOOL_SEARCH,
    ListPage,
    ListRules,
    ListState,
    change_list,
    change_result,
    define_tool,
)
from ctxkit.edge import bypass, events, say, settings
from ctxkit.edge.child import CANNOT_RUN, NOT_FOUND
from ctxkit.edge.server_relay import Job, LineHandler, ServerRelay

if TYPE_CHECKING:
    from ctxkit.core.chat.model.message import Tool
    from ctxkit.core.text.json_value import JsonValue
    from ctxkit.edge.request import CliRequest

_OWN_TOOLS = {tool.name: tool for tool in (READ_RESULT, TOOL_SEARCH)}
"""The tools that are added, by their usual names."""


class WrappedServer(NamedTuple):
    """The program that is wrapped, with its arguments, and what it reads before the lines of the client."""

    argv: Sequence[str]
    first: bytes = b""


def wrap_server(server: WrappedServer, request: CliRequest, host: str | None, *, text_only: bool) -> int:
    """Start a server, relay its messages until it has ended, and return its exit status as a shell gives it."""
    from ctxkit.app.run.gated_command import replace_process

    argv, is_disabled = server.argv, bypass.is_disabled()
    if is_disabled and not server.first:
        return replace_process(tuple(argv))
    handler: LineHandler = UnchangedLines()
    if not is_disabled:
        config = settings.load_for_filter(strict=request.strict, session=request.session)
        handler = ServerWrap(WrapContext(request, config, host), text_only=text_only)
    try:
        relay = ServerRelay(argv, handler, server.first)
    except OSError as error:
        is_missing = isinstance(error, FileNotFoundError)
        say.error(f"{argv[0] or repr('')}: {'command not found' if is_missing else error.strerror}")
        return NOT_FOUND if is_missing else CANNOT_RUN
    return relay.run()


class UnchangedLines:
    """Passes each line."""

    def take_client_line(self, line: bytes) -> tuple[bytes, Job | None]:
        """Return the line."""
        return line, None

    def take_server_line(self, _: bytes) -> Job | None:
        """Return no job."""
        return None


class ServerWrap:
    """Decides on each line. What is parsed and gated is so in a process of its own, which may die."""

    def __init__(self, context: WrapContext, *, text_only: bool) -> None:
        self._context, self._text_only = context, text_only
        self._free_tokens = context.count_free_tokens()
        self._pending: dict[RequestId, PendingRequest] = {}
        self._own_ids: set[RequestId] = set()
        self._tasks: dict[str, str] = {}
        self._tools = ListState(own={READ_RESULT.name: READ_RESULT.name} if context.has_store else {})

    def take_client_line(self, line: bytes) -> tuple[bytes, Job | None]:
        """Return what the server gets of a line, and a job that answers the calls of added tools."""
        try:
            value = engines.parse_json(line)
        except ValueError:  # the server says so
            return line, None
        routed = route_client_line(value, self._tools.own, self._own_ids, self._tasks)
        self._pending.update(routed.pending)
        return remove_messages(line, value, routed.dropped), self._make_own_job(routed, value)

    def _make_own_job(self, routed: ClientLine, value: JsonValue) -> Job | None:
        if not routed.own:
            return None
        messages, ids = [message for _, message in routed.own], [message["id"] for _, message in routed.own]
        self._own_ids.update(ids)

        def answer() -> bytes:
            """Return the line with the answers."""
            replies = [answer_message(message, self._make_server()) for message in messages]
            return _dump_line(replies if isinstance(value, list) else replies[0])

        def finish(answered: bytes | None) -> bytes:
            """Return the line, or errors if there is none."""
            self._own_ids.difference_update(ids)
            return _dump_errors(ids, "the call was not answered", value) if answered is None else answered

        return Job(_prepare(answer), finish)

    def _make_server(self) -> McpServer:
        """Return the server of the added tools."""
        added = {name: _OWN_TOOLS[own]._replace(name=name) for name, own in self._tools.own.items()}
        return McpServer(__version__, "", [define_tool(tool) for tool in added.values()], self._call_own_tool)

    def _call_own_tool(self, name: str, arguments: dict[str, JsonValue]) -> ToolAnswer:
        from ctxkit.app.mcp_wrap.text_gating import OfferedTools, answer_tool_call
        from ctxkit.core.tools.catalog import read_catalog
        from ctxkit.edge.tool_files import ToolSet

        tool, deferred = _OWN_TOOLS[self._tools.own[name]], self._tools.deferred
        text = f"[{','.join(deferred)}]".encode("utf-8", "surrogateescape")
        tool_set = ToolSet([read_catalog(text, "tools/list", "mcp")]) if deferred else None
        context = self._context
        offered = OfferedTools((tool,), context.request, context.host, tool_set)
        answer = answer_tool_call(tool.name, arguments, offered)
        if tool is TOOL_SEARCH and answer.text.startswith("["):  # Gemini CLI 0.61.0 refuses a text that is a JSON array
            return answer._replace(text=f'{{"tools": {answer.text.rstrip()}}}\n')
        return answer

    def take_server_line(self, line: bytes) -> Job | None:
        """Return the job that changes the results in a line, None if there are none or all of them fit."""
        if not self._pending:
            return None
        try:
            value = engines.parse_json(line)
        except ValueError:
            masked = _prepare(lambda: mask_line(line, self._context))
            return Job(masked, lambda safe: safe or b"", len(line)) if self._context.masks else None
        replies, answered = find_replies(value, self._pending)
        for id_ in answered:
            del self._pending[id_]
        self._tasks.update(_find_tasks(replies))
        has_list = any(reply.request.method == "tools/list" for reply in replies)
        if not replies or (not has_list and self._context.passes(line, self._free_tokens)):
            return None
        return self._make_change_job(line, value, replies)

    def _make_change_job(self, line: bytes, value: JsonValue, replies: Sequence[Reply]) -> Job:
        """Return the job that changes the results in a line, whose value is ``value``."""

        def finish(changed: bytes | None) -> bytes:
            """Return the changed line; the line as it came if it could not be changed, or errors instead."""
            if changed is None:
                if self._context.is_closed:
                    return _dump_errors([reply.id for reply in replies], "the result could not be read", value)
                return line
            header, _, content = changed.partition(b"\n")
            if header:
                self._tools = ListState(**json.loads(header))
            return content

        return Job(_prepare(lambda: self._change_line(line, replies)), finish, len(line))

    def _change_line(self, line: bytes, replies: Sequence[Reply]) -> bytes:
        """Return a line with what is known of the tools, empty if it is as before, and the changed line."""
        patches: list[ValuePatch] = []
        tools = self._tools
        for reply in replies:
            request = reply.request
            if request.method == "tools/list":
                before = ListState(own=tools.own) if request.is_first_page else tools
                changes, tools = self._change_list(line, reply, before)
            else:
                read_name = next((name for name, own in tools.own.items() if own == READ_RESULT.name), READ_RESULT.name)
                text_gate = open_text_gate(self._context, request.tool, read_name)
                changes = change_result(reply.place, reply.result, tools.outputs.get(request.tool, ""), text_gate)
            patches += changes
        header = b"" if tools is self._tools else json.dumps(tools._asdict()).encode()
        return header + b"\n" + patch_line(line, patches)

    def _change_list(self, line: bytes, reply: Reply, tools: ListState) -> tuple[list[ValuePatch], ListState]:
        """Return the changes of a page of the list, and what is known of the tools after it."""
        from ctxkit.core.tokens.budget import threshold_of
        from ctxkit.core.tools.catalog import DefinitionCounter

        config, request = self._context.settings, self._context.apply_limits()
        is_known = bool(request.known_window(config))
        share = config["tool_deferral_threshold"]
        most = threshold_of(share, request.budget(config).effective) if is_known else None

        def measure(definitions: Sequence[Tool]) -> int:
            """Return the tokens of definitions."""
            return DefinitionCounter(engines.make_count_options(request, config), "mcp").measure(definitions)

        rules = ListRules(most, measure, self._context.has_store, self._text_only)
        text, start = decode_line(line)
        return change_list(ListPage(text, start, reply.place, reply.result), tools, rules)


def _find_tasks(replies: Sequence[Reply]) -> dict[str, str]:
    """Return the tools that replies say go on as tasks, by the ids of the tasks."""
    tasks = ((reply.result.get("task"), reply.request.tool) for reply in replies)
    ids = ((task.get("taskId"), tool) for task, tool in tasks if isinstance(task, dict))
    return {id_: tool for id_, tool in ids if isinstance(id_, str)}


def _prepare(work: Callable[[], bytes]) -> Callable[[], bytes]:
    """Return work that says why it fails, and whose events have its own duration."""

    def run_work() -> bytes:
        """Do the work."""
        context = click.get_current_context(silent=True)
        if context is not None:
            context.meta[events.START] = time.monotonic()
        try:
            return work()
        except Exception as error:
            say.warn(f"a message could not be changed: {error or type(error).__name__}")
            raise

    return run_work


def _dump_line(value: JsonValue) -> bytes:
    return json.dumps(value).encode() + b"\n"


def _dump_errors(ids: Sequence[RequestId], message: str, line: JsonValue) -> bytes:
    """Return a line with an error for each id, in the form of the line that they come from."""
    errors = [McpError(INTERNAL_ERROR, f"ctxkit: {message}").to_reply(id_) for id_ in ids]
    return _dump_line(errors if isinstance(line, list) else errors[0])


_BRIDGE = "ctxkit.engines.mcp_http.bridge"
_OWN_HEADERS = frozenset(
    (
        *("accept", "connection", "content-length", "content-type", "host", "last-event-id", "mcp-method", "mcp-name"),
        *("mcp-protocol-version", "mcp-session-id", "te", "trailer", "transfer-encoding", "upgrade"),
    )
)
"""Headers that belong to the protocol or to the connection."""
_VALUE = re.compile(r"[\x20-\x7e\t]+")
"""Characters of the value of a header that all servers take (RFC 9110, 5.5)."""


def reach_server(url: str, headers: Sequence[str], variables: Sequence[str], env: Mapping[str, str]) -> WrappedServer:
    """Return the program that speaks to a server at a URL.

    ``headers`` are such as ``Name: value``, ``variables`` such as ``Name=VARIABLE``, whose values are in ``env``. Raise
    UsageError for what is invalid, without the value of a header, and MissingDependencyError without httpx2.
    """
    _check_url(url)
    pairs = [*_read_headers(headers), *_read_variables(variables, env)]
    names = [name.lower() for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"the header {name} has several values")
    if find_spec("httpx2") is None:
        from ctxkit.system.installation import install_command

        raise MissingDependencyError("mcp wrap --url needs httpx2", hint=install_command("httpx2"))
    options = {"url": url, "headers": pairs, "quiet": say.is_quiet()}
    return WrappedServer((sys.executable, "-P", "-m", _BRIDGE), json.dumps(options).encode() + b"\n")


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_valid = False
    if not is_valid or not _VALUE.fullmatch(url) or " " in url:
        raise UsageError("--url: it is not an address such as https://example.com/mcp")
    if parts.username is not None:
        raise UsageError("--url: an address has no password", hint="--header-env Authorization=VARIABLE")


def _read_headers(headers: Sequence[str]) -> Iterator[tuple[str, str]]:
    for header in headers:
        name, colon, value = header.partition(":")
        if not colon:
            raise UsageError("--header: it has no colon", hint="--header 'Name: value'")
        yield _check_header("--header", name.strip(), value)


def _read_variables(variables: Sequence[str], env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for pair in variables:
        name, equals, variable = (part.strip() for part in pair.partition("="))
        if not equals or not variable or not TOKEN.fullmatch(name):
            raise UsageError("--header-env: it names no variable", hint="--header-env Name=VARIABLE")
        if not env.get(variable):
            raise UsageError(f"--header-env: the variable for {name} is not set", hint="set it in the host's settings")
        yield _check_header("--header-env", name, env[variable])


def _check_header(option: str, name: str, value: str) -> tuple[str, str]:
    """Return a header; raise UsageError, which does not show its value, if it is invalid."""
    if not TOKEN.fullmatch(name):
        raise UsageError(f"{option}: the name of a header has letters, digits and signs such as -")
    if name.lower() in _OWN_HEADERS or name.lower().startswith(PARAMETER.lower()):
        raise UsageError(f"{option}: the header {name} is ctxkit's own")
    if not _VALUE.fullmatch(value.strip()):
        raise UsageError(f"{option}: the value of {name} is empty, or has characters that are not printable ASCII")
    return name, value.strip()
