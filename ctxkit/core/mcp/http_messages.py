"""Describe messages for Streamable HTTP: the requests in them, the headers of their POSTs, and the replies.

Revisions before 2026-07-28 negotiate one version for a session. From 2026-07-28 on, each request names its version in
``_meta``, and headers repeat its method, the name of what it asks for, and the arguments that the tool marks.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ctxkit.core.chat.model.json_fields import get_object, get_text
from ctxkit.core.mcp.protocol import INTERNAL_ERROR, KEYS, McpError
from ctxkit.core.mcp.routing import Json, RequestId, is_request_id, list_messages
from ctxkit.core.text.json_value import JsonValue

INITIALIZE, INITIALIZED, CANCELLED = "initialize", "notifications/initialized", "notifications/cancelled"
"""The messages that begin a session, and the one that takes a request back."""
NAMING = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that the header ``Mcp-Name`` repeats, by the method."""
VERSION = f"{KEYS}protocolVersion"
"""The member of ``_meta`` that names the version of a request."""
MARK, PARAMETER = "x-mcp-header", "Mcp-Param-"
"""The member of a parameter's schema that names a header for it, and what the name of this header begins with."""
MIRRORED_TYPES = ("string", "integer", "boolean")
"""Types of parameters that may have a header."""
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""Characters of the name of a header (RFC 9110, 5.6.2)."""
PLAIN = re.compile(r"(?! )(?!=\?base64\?.*\?=$)[\x20-\x7e]*(?<! )")
"""Values that a header takes as they are; all others are encoded."""

MarkedParameters = Mapping[str, tuple[str, ...]]
"""The parameters of a tool with a header of their own: their places in the arguments, by the names of the headers."""


class HttpMessage(NamedTuple):
    """A line of the client: its methods, the ids of its requests, the version that it names, and what it cancels."""

    methods: tuple[str, ...]
    ids: tuple[RequestId, ...]
    version: str = ""
    cancelled: RequestId | None = None


def describe_line(value: JsonValue) -> HttpMessage:
    """Return what is to know of a line of the client with a value."""
    messages = [message for _, message in list_messages(value)]
    methods = tuple(get_text(message, "method") for message in messages)
    pairs = zip(messages, methods, strict=True)
    ids = tuple(id_ for message, method in pairs if method and is_request_id(id_ := message.get("id")))
    params = get_object(messages[0], "params") if len(messages) == 1 else {}
    cancelled = params.get("requestId") if methods == (CANCELLED,) else None
    version = get_text(get_object(params, "_meta"), VERSION)
    return HttpMessage(methods, ids, version, cancelled if is_request_id(cancelled) else None)


def mirror_request(value: JsonValue, marked: Mapping[str, MarkedParameters]) -> list[tuple[str, str]]:
    """Return the headers of a request that names its version; ``marked`` are the marked parameters of each tool."""
    message = next((message for _, message in list_messages(value)), {})
    method, params = get_text(message, "method"), get_object(message, "params")
    version = get_text(get_object(params, "_meta"), VERSION)
    headers = [("mcp-protocol-version", encode_value(version)), ("mcp-method", encode_value(method))]
    name = params.get(NAMING.get(method, ""))
    if isinstance(name, str):
        headers.append(("mcp-name", encode_value(name)))
    if method == "tools/call" and isinstance(name, str):
        values = ((header, _find_argument(params, place)) for header, place in marked.get(name, {}).items())
        headers += [(f"{PARAMETER}{header}", encode_value(value)) for header, value in values if value is not None]
    return headers


def encode_value(value: str) -> str:
    """Return the value of a header as the revision 2026-07-28 encodes it ("Value Encoding")."""
    if PLAIN.fullmatch(value):
        return value
    return f"=?base64?{b64encode(value.encode('utf-8', 'replace')).decode()}?="


def _find_argument(params: Json, place: tuple[str, ...]) -> str | None:
    """Return an argument as a header has it, None if it has none."""
    value: JsonValue = get_object(params, "arguments")
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def find_marked_parameters(result: Json) -> dict[str, MarkedParameters]:
    """Return the marked parameters of the tools in a result of ``tools/list``."""
    tools = result.get("tools")
    listed = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return {get_text(tool, "name"): dict(_list_marks(get_object(tool, "inputSchema"), ())) for tool in listed}


def _list_marks(schema: Json, place: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, member in get_object(schema, "properties").items():
        if not isinstance(member, dict) or len(place) > 50:
            continue
        header = get_text(member, MARK)
        if TOKEN.fullmatch(header) and member.get("type") in MIRRORED_TYPES:
            yield header, (*place, name)
        yield from _list_marks(member, (*place, name))


def find_answered(value: JsonValue) -> list[tuple[RequestId, Json]]:
    """Return the results and errors in a line of the server, by the ids of their requests."""
    messages = (message for _, message in list_messages(value) if "method" not in message)
    pairs = ((message.get("id"), message) for message in messages if "result" in message or "error" in message)
    return [(id_, message) for id_, message in pairs if is_request_id(id_)]


def join_lines(message: bytes) -> bytes:
    """Return a message as one line: line ends stand between the values of JSON only, where a blank is the same."""
    return message.strip(b"\r\n").replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"


def make_error_line(id_: RequestId | None, reason: str, error: JsonValue = None) -> bytes:
    """Return the line that answers a request: with the error that the server gave without an id, or with a reason."""
    reply = McpError(INTERNAL_ERROR, f"ctxkit: {reason}").to_reply(id_)
    if isinstance(error, dict):
        reply["error"] = error
    return json.dumps(reply).encode() + b"\n"
