"""Answer the messages of the Model Context Protocol, and match them by the ids of requests."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeGuard

from ctxkit.core.chat.editing import ValuePatch, patch_text
from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.chat.model.message import Place
from ctxkit.core.text.escapes import escape_name
from ctxkit.core.text.json_value import JsonValue
from ctxkit.core.text.positions import decode_value, skip_blanks

VERSIONS = ("2026-07-28",)
"""Revisions without a handshake: each request names its own in ``_meta``."""
HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions that begin with ``initialize``, the newest first."""
_PARSE_ERROR, INVALID_REQUEST, _UNKNOWN_METHOD = -32700, -32600, -32601
_INVALID_PARAMETERS, INTERNAL_ERROR = -32602, -32603
_UNSUPPORTED_VERSION = -32022
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
        return McpError(_PARSE_ERROR, "the message is not JSON").to_reply(None)
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
        raise McpError(_INVALID_PARAMETERS, "params is not an object")
    params = params or {}
    meta = params.get("_meta")
    if isinstance(meta, dict) and f"{KEYS}protocolVersion" in meta:
        return _answer_with_version(method, params, meta, server)
    if method == "initialize":
        return _initialize(params, server)
    if method == "server/discover":
        raise McpError(_INVALID_PARAMETERS, f"_meta has no {KEYS}protocolVersion")
    return {} if method == "ping" else _answer_tools(method, params, server)


def _answer_with_version(method: str, params: Json, meta: Json, server: McpServer) -> Json:
    """Return the result of a request that names the revision of the protocol."""
    version = meta[f"{KEYS}protocolVersion"]
    if not isinstance(version, str) or not isinstance(meta.get(f"{KEYS}clientCapabilities"), dict):
        raise McpError(_INVALID_PARAMETERS, "_meta has no version, or no capabilities of the client")
    if version not in VERSIONS:
        data: Json = {"supported": list(VERSIONS), "requested": version[:80]}
        raise McpError(_UNSUPPORTED_VERSION, "unsupported protocol version", data)
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
        raise McpError(_UNKNOWN_METHOD, f"unknown method: {method[:80]}")
    name, arguments = params.get("name"), params.get("arguments")
    if name not in [tool["name"] for tool in server.tools]:
        raise McpError(_INVALID_PARAMETERS, f"unknown tool: {str(name)[:80]}")
    if not isinstance(arguments, dict | None):
        raise McpError(_INVALID_PARAMETERS, "arguments is not an object")
    answer = _call_tool(str(name), arguments or {}, server)
    return {"content": [{"type": "text", "text": answer.text}], "isError": answer.is_error}


def _call_tool(name: str, arguments: Mapping[str, JsonValue], server: McpServer) -> ToolAnswer:
    try:
        return server.call(name, dict(arguments))
    except Exception as error:
        raise McpError(INTERNAL_ERROR, f"{name} failed: {str(error)[:200] or type(error).__name__}") from error


RequestId = str | int | float


class PendingRequest(NamedTuple):
    """A request whose result is read: its method, its tool, and whether it asks for a list from its beginning."""

    method: str
    tool: str = ""
    is_first_page: bool = True


class ClientLine(NamedTuple):
    """What becomes of a line of the client: the places that the server does not get, and what its results are."""

    own: Sequence[tuple[Place, Json]] = ()
    dropped: Sequence[Place] = ()
    pending: Mapping[RequestId, PendingRequest] = {}


class Reply(NamedTuple):
    """A result in a line of the server: its place, its id, its value, and the request that it answers."""

    place: Place
    id: RequestId
    result: Json
    request: PendingRequest


def list_messages(value: JsonValue) -> Iterator[tuple[Place, Json]]:
    """Yield the messages of a line, each with its place."""
    if isinstance(value, dict):
        yield (), value
    elif isinstance(value, list):
        yield from (((at,), item) for at, item in enumerate(value) if isinstance(item, dict))


def route_client_line(
    value: JsonValue, own_tools: Collection[str], own_ids: Collection[RequestId], tasks: Mapping[str, str]
) -> ClientLine:
    """Return what becomes of a line of the client.

    Calls of ``own_tools`` are answered here, so the server hears of no cancellation of ``own_ids`` either. The tools of
    the tasks that calls have begun are in ``tasks``.
    """
    own: list[tuple[Place, Json]] = []
    dropped: list[Place] = []
    pending: dict[RequestId, PendingRequest] = {}
    for place, message in list_messages(value):
        method, id_, params = message.get("method"), message.get("id"), get_object(message, "params")
        if method == "notifications/cancelled" and _find(params.get("requestId"), own_ids):
            dropped.append(place)
        if not is_request_id(id_):
            continue
        if method == "tools/call" and get_text(params, "name") in own_tools:
            own.append((place, message))
            dropped.append(place)
        elif method == "tools/call":
            pending[id_] = PendingRequest("tools/call", get_text(params, "name"))
        elif method == "tools/list":
            pending[id_] = PendingRequest("tools/list", is_first_page=params.get("cursor") is None)
        elif method == "tasks/result" and get_text(params, "taskId") in tasks:
            pending[id_] = PendingRequest("tools/call", tasks[get_text(params, "taskId")])
    return ClientLine(own, dropped, pending)


def find_replies(value: JsonValue, pending: Mapping[RequestId, PendingRequest]) -> tuple[list[Reply], list[RequestId]]:
    """Return the results in a line of the server that answer pending requests, and the ids of all that are answered."""
    replies, answered = list[Reply](), list[RequestId]()
    for place, message in list_messages(value):
        id_ = message.get("id")
        if "method" in message or not is_request_id(id_) or id_ not in pending:
            continue
        answered.append(id_)
        if isinstance(message.get("result"), dict):
            replies.append(Reply((*place, "result"), id_, message["result"], pending[id_]))
    return replies, answered


def is_request_id(value: JsonValue) -> TypeGuard[RequestId]:
    """Return whether a value is the id of a request: a text or a number."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _find(value: JsonValue, ids: Collection[RequestId]) -> bool:
    return is_request_id(value) and value in ids


def remove_messages(line: bytes, value: JsonValue, places: Sequence[Place]) -> bytes:
    """Return a line without some of its messages, b"" if none is left."""
    if not places:
        return line
    if () in places or len(places) == len(value):
        return b""
    return patch_line(line, [ValuePatch(place, action="remove") for place in places])


def patch_line(line: bytes, patches: Sequence[ValuePatch]) -> bytes:
    """Return a line with some values changed; all else keeps its bytes."""
    if not patches:
        return line
    text, start = decode_line(line)
    end = decode_value(text, start)[1]
    return f"{text[:start]}{patch_text(text, start, patches)}{text[end:]}".encode("utf-8", "surrogateescape")


def decode_line(line: bytes) -> tuple[str, int]:
    """Return the text of a line, which keeps undecodable bytes, and the offset of its value."""
    text = line.decode("utf-8", "surrogateescape")
    return text, skip_blanks(text, 1 if text.startswith("\ufeff") else 0)
