"""Answer the messages of the Model Context Protocol, of the revisions of 2026 and of those before it."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ctxkit.core.text.escapes import escape_name
from ctxkit.core.text.json_value import JsonValue

VERSIONS = ("2026-07-28",)
"""Revisions without a handshake: each request names its own in ``_meta``."""
HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions that begin with ``initialize``, the newest first."""
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD = -32700, -32600, -32601
INVALID_PARAMETERS, INTERNAL_ERROR = -32602, -32603
UNSUPPORTED_VERSION = -32022
"""The codes of errors: JSON-RPC defines those above, the protocol this one."""
KEYS = "io.modelcontextprotocol/"
"""What the members of ``_meta`` that the protocol defines begin with."""
CACHE = {"ttlMs": 3_600_000, "cacheScope": "private"}
"""How long a client may keep the definitions of tools, which do not change while a server runs."""

Json = dict[str, JsonValue]


class McpError(Exception):
    """An error with its code; ``data`` is for programs."""

    def __init__(self, code: int, message: str, data: Json | None = None) -> None:
        super().__init__(message)
        self.code, self.data = code, data

    def to_reply(self, id_: JsonValue) -> Json:
        """Return the message that reports the error."""
        data = {"data": self.data} if self.data else {}
        return {"jsonrpc": "2.0", "id": id_, "error": {"code": self.code, "message": escape_name(str(self)), **data}}


class ToolAnswer(NamedTuple):
    """The result of a tool: a text, and whether it reports an error to the model."""

    text: str
    is_error: bool = False


class McpServer(NamedTuple):
    """A server: its version, what a model reads of it, the definitions of its tools, and what calls one by its name."""

    version: str
    instructions: str
    tools: Sequence[Json]
    call: Callable[[str, Json], ToolAnswer]

    @property
    def info(self) -> Json:
        """Return the name and the version."""
        return {"name": "ctxkit", "version": self.version}

    @property
    def capabilities(self) -> Json:
        """Return what the server offers."""
        return {"tools": {}}


def answer_line(line: bytes, server: McpServer) -> Json | None:
    """Return the reply to a line with a message, None for a notification or a response."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return McpError(PARSE_ERROR, "the message is not JSON").to_reply(None)
    if not isinstance(message, dict):
        return McpError(INVALID_REQUEST, "a message is one JSON object").to_reply(None)
    return answer_message(message, server)


def answer_message(message: Json, server: McpServer) -> Json | None:
    """Return the reply to a message, None for a notification or a response."""
    id_, method = message.get("id"), message.get("method")
    if not isinstance(method, str):
        is_response = "method" not in message and ("result" in message or "error" in message)
        return None if is_response else McpError(INVALID_REQUEST, "a request names its method").to_reply(None)
    if "id" not in message:
        return None
    if not isinstance(id_, str | int) or isinstance(id_, bool):
        return McpError(INVALID_REQUEST, "the id of a request is a text or a whole number").to_reply(None)
    try:
        return {"jsonrpc": "2.0", "id": id_, "result": _answer_request(method, message.get("params"), server)}
    except McpError as error:
        return error.to_reply(id_)


def _answer_request(method: str, params: JsonValue, server: McpServer) -> Json:
    if not isinstance(params, dict | None):
        raise McpError(INVALID_PARAMETERS, "params is not an object")
    params = params or {}
    meta = params.get("_meta")
    if isinstance(meta, dict) and f"{KEYS}protocolVersion" in meta:
        return _answer_with_version(method, params, meta, server)
    if method == "initialize":
        return _initialize(params, server)
    if method == "server/discover":
        raise McpError(INVALID_PARAMETERS, f"_meta has no {KEYS}protocolVersion")
    return {} if method == "ping" else _answer_tools(method, params, server)


def _answer_with_version(method: str, params: Json, meta: Json, server: McpServer) -> Json:
    """Return the result of a request that names the revision of the protocol."""
    version = meta[f"{KEYS}protocolVersion"]
    if not isinstance(version, str) or not isinstance(meta.get(f"{KEYS}clientCapabilities"), dict):
        raise McpError(INVALID_PARAMETERS, "_meta has no version, or no capabilities of the client")
    if version not in VERSIONS:
        data: Json = {"supported": list(VERSIONS), "requested": version[:80]}
        raise McpError(UNSUPPORTED_VERSION, "unsupported protocol version", data)
    result = _discover(server) if method == "server/discover" else _answer_tools(method, params, server)
    cache = {} if method == "tools/call" else CACHE
    return {**result, **cache, "resultType": "complete", "_meta": {f"{KEYS}serverInfo": server.info}}


def _discover(server: McpServer) -> Json:
    capabilities, instructions = server.capabilities, server.instructions
    return {"supportedVersions": list(VERSIONS), "capabilities": capabilities, "instructions": instructions}


def _initialize(params: Json, server: McpServer) -> Json:
    """Return the result of the handshake: the revision of the client if it is known, else the newest with one."""
    version = params.get("protocolVersion")
    if version not in HANDSHAKE_VERSIONS:
        version = HANDSHAKE_VERSIONS[0]
    capabilities, instructions = server.capabilities, server.instructions
    facts: Json = {"protocolVersion": version, "serverInfo": server.info}
    return {**facts, "capabilities": capabilities, "instructions": instructions}


def _answer_tools(method: str, params: Json, server: McpServer) -> Json:
    if method == "tools/list":
        return {"tools": list(server.tools)}
    if method != "tools/call":
        raise McpError(UNKNOWN_METHOD, f"unknown method: {method[:80]}")
    name, arguments = params.get("name"), params.get("arguments")
    if name not in [tool["name"] for tool in server.tools]:
        raise McpError(INVALID_PARAMETERS, f"unknown tool: {str(name)[:80]}")
    if not isinstance(arguments, dict | None):
        raise McpError(INVALID_PARAMETERS, "arguments is not an object")
    answer = _call_tool(str(name), arguments or {}, server)
    return {"content": [{"type": "text", "text": answer.text}], "isError": answer.is_error}


def _call_tool(name: str, arguments: Mapping[str, JsonValue], server: McpServer) -> ToolAnswer:
    try:
        return server.call(name, dict(arguments))
    except Exception as error:
        raise McpError(INTERNAL_ERROR, f"{name} failed: {str(error)[:200] or type(error).__name__}") from error
