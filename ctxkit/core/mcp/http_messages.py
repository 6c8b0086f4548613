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
from ctxkit.core.mcp.protocol import INTERNAL_ERROR, KEYS, Json, McpError, RequestId, is_request_id, list_messages
from ctxkit.core.text.json_value import JsonValue

INITIALIZE, INITIALIZED, _CANCELLED = "initialize", "notifications/initialized", "notifications/cancelled"
"""The messages that begin a session, and the one that takes a request back."""
_NAMING = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that the header ``Mcp-Name`` repeats, by the method."""
_VERSION = f"{KEYS}protocolVersion"
"""The member of ``_meta`` that names the version of a request."""
_MARK, PARAMETER = "x-mcp-header", "Mcp-Param-"
"""The member of a parameter's schema that names a header for it, and what the name of this header begins with."""
_MIRRORED_TYPES = ("string", "integer", "boolean")
"""Types of parameters that may have a header."""
TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""Characters of the name of a header (RFC 9110, 5.6.2)."""
_PLAIN = re.compile(r"(?! )(?!=\?base64\?.*\?=$)[\x20-\x7e]*(?<! )")
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
    cancelled = params.get("requestId") if methods == (_CANCELLED,) else None
    version = get_text(get_object(params, "_meta"), _VERSION)
    return HttpMessage(methods, ids, version, cancelled if is_request_id(cancelled) else None)


def mirror_request(value: JsonValue, marked: Mapping[str, MarkedParameters]) -> list[tuple[str, str]]:
    """Return the headers of a request that names its version; ``marked`` are the marked parameters of each tool."""
    message = next((message for _, message in list_messages(value)), {})
    method, params = get_text(message, "method"), get_object(message, "params")
    version = get_text(get_object(params, "_meta"), _VERSION)
    headers = [("mcp-protocol-version", encode_value(version)), ("mcp-method", encode_value(method))]
    name = params.get(_NAMING.get(method, ""))
    if isinstance(name, str):
        headers.append(("mcp-name", encode_value(name)))
    if method == "tools/call" and isinstance(name, str):
        values = ((header, _find_argument(params, place)) for header, place in marked.get(name, {}).items())
        headers += [(f"{PARAMETER}{header}", encode_value(value)) for header, value in values if value is not None]
    return headers


def encode_value(value: str) -> str:
    """Return the value of a header as the revision 2026-07-28 encodes it ("Value Encoding")."""
    if _PLAIN.fullmatch(value):
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
        header = get_text(member, _MARK)
        if TOKEN.fullmatch(header) and member.get("type") in _MIRRORED_TYPES:
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


_LINE_END = re.compile(rb"\r\n|\n|\r")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ServerEvent(NamedTuple):
    """An event: its data as bytes, its type, the id to resume after it, and the milliseconds to wait before that.

    The id is that of an earlier event if the event has none; ``retry`` is None if the event does not say it.
    """

    data: bytes
    type: bytes = b"message"
    id: bytes = b""
    retry: int | None = None


class EventParser:
    """Parses pieces of a stream; raises ValueError if an event has more than ``most`` bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: list[bytes] = []
        self._is_start, self._follows_return = True, False
        self._size = 0
        self._id = b""
        self._clear()

    def _clear(self) -> None:
        self._data: list[bytes] = []
        self._data_size = 0
        self._type = b""
        self._retry: int | None = None
        self._is_empty = True

    def add(self, piece: bytes) -> list[ServerEvent]:
        """Return the events that a piece completes."""
        if self._follows_return:  # the line feed of a pair that was cut in two
            piece = piece.removeprefix(b"\n")
            self._follows_return = not piece
        if not piece:
            return []
        self._follows_return = piece.endswith(b"\r")
        self._size += len(piece)
        self._pieces.append(piece)
        events = []
        if _LINE_END.search(piece):
            *lines, rest = _LINE_END.split(b"".join(self._pieces))
            self._pieces = [rest]
            events = [event for line in lines if (event := self._take_line(line)) is not None]
            self._size = len(rest) + self._data_size
        if self._size > self._most:
            raise ValueError(f"an event of more than {self._most:,} bytes")
        return events

    def _take_line(self, line: bytes) -> ServerEvent | None:
        """Return the event that a line ends."""
        if self._is_start:
            line, self._is_start = line.removeprefix(_BYTE_ORDER_MARK), False
        if not line:
            return self._end_event()
        name, _, value = line.partition(b":")
        self._take_field(name, value.removeprefix(b" "))
        return None

    def _take_field(self, name: bytes, value: bytes) -> None:
        if name == b"data":
            self._data.append(value)
            self._data_size += len(value) + 1
        elif name == b"event":
            self._type = value
        elif name == b"id" and b"\0" not in value:
            self._id = value
        elif name == b"retry" and value.isdigit():
            self._retry = int(value[:12])
        else:  # a comment begins with a colon, so its name is empty
            return
        self._is_empty = False

    def _end_event(self) -> ServerEvent | None:
        """Return the event of the lines before an empty one; one without data only has an id or a time to wait."""
        if self._is_empty:
            return None
        event = ServerEvent(b"\n".join(self._data), self._type or b"message", self._id, self._retry)
        self._clear()
        return event
