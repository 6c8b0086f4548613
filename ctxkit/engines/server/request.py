"""Read requests of HTTP, hold the stdin, stdout and stderr of a call, and send answers in ASGI."""

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import orjson

from ctxkit.core.errors import Exit, UsageError
from ctxkit.core.serve import (
    DIRECTORY_HEADER,
    JSON_TYPE,
    VARIABLES_HEADER,
    Endpoint,
    describe_failure,
    make_answer,
    read_caller,
)

MEMORY_BYTES = 1 << 20
"""Bytes of a body up to which its call is held in memory."""
PIECE = 1 << 18


class CallFiles:
    """The three files of a call; ``close`` frees them.

    Parameters: ``is_small`` is true if the output is about as large as the body.
    """

    def __init__(self, *, is_small: bool) -> None:
        self._is_small = is_small
        self._size = 0
        self.input = _make_file(is_small=True)
        self.output = self.messages = -1

    def write_body(self, data: bytes) -> None:
        """Append a piece of the body; move it to the disk once it is large."""
        if self._size <= MEMORY_BYTES < self._size + len(data):
            self._move_to_disk()
        self._size += len(data)
        view = memoryview(data)
        while view:
            view = view[os.write(self.input, view) :]

    @property
    def size(self) -> int:
        """Return the bytes of the body so far."""
        return self._size

    def finish_body(self) -> tuple[int, int, int]:
        """Return the descriptors of stdin, stdout and stderr, ready for the command, also for a second attempt."""
        os.lseek(self.input, 0, os.SEEK_SET)
        for descriptor in (self.output, self.messages):
            if descriptor >= 0:
                os.close(descriptor)
        self.output = self.messages = -1
        is_small = self._is_small and self._size <= MEMORY_BYTES
        self.output, self.messages = _make_file(is_small=is_small), _make_file(is_small=True)
        return self.input, self.output, self.messages

    def read_messages(self, most: int) -> bytes:
        """Return the beginning of stderr."""
        return os.pread(self.messages, most, 0)

    def measure_output(self) -> int:
        """Return the bytes of stdout."""
        return os.fstat(self.output).st_size

    def read_output(self) -> Iterator[bytes]:
        """Yield stdout in pieces."""
        at = 0
        while piece := os.pread(self.output, PIECE, at):
            at += len(piece)
            yield piece

    def close(self) -> None:
        """Free the files."""
        for descriptor in (self.input, self.output, self.messages):
            if descriptor >= 0:
                os.close(descriptor)
        self.input = self.output = self.messages = -1

    def _move_to_disk(self) -> None:
        on_disk = _make_file(is_small=False)
        at = 0
        while piece := os.pread(self.input, PIECE, at):
            at += os.write(on_disk, piece)
        os.close(self.input)
        self.input = on_disk


Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class HttpExchange:
    """A request and its answer in ASGI; ``status`` is 0 until the answer begins.

    The answer says that the connection closes if ``closes`` is true when it begins.
    """

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self.status = self.received = self.sent = 0
        self.closes = False

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the next message of the client."""
        message = await self._receive()
        self.received += len(message.get("body", b""))
        return message

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Send a message of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.closes:
                message["headers"].append((b"connection", b"close"))
        self.sent += len(message.get("body", b""))
        await self._send(message)


MAX_BODY = 1 << 30
"""Maximum bytes of a body."""
_MAX_PARAMETERS = 200
BODY_SECONDS, _BODY_RATE = 30.0, 1 << 16
"""Seconds that a body may take, and bytes that give it one more second each time."""


class RequestError(Exception):
    """A request that no command is run for: the status of HTTP, a message and a hint."""

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.status, self.hint = status, hint


class ClientLeftError(RequestError):
    """The client has closed the connection."""

    def __init__(self) -> None:
        super().__init__(499, "the client has gone")


class HttpRequest(NamedTuple):
    """The head of a request."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    is_local: bool


def read_scope(scope: Scope) -> HttpRequest:
    """Return the head of the request of an ASGI scope."""
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    server = scope.get("server")
    is_local = not server or server[1] is None
    return HttpRequest(scope["method"], scope["path"], scope["query_string"].decode("latin-1"), headers, is_local)


def read_parameters(query: str) -> list[tuple[str, str]]:
    """Return the parameters of a query string; raise UsageError for too many, and for one that is not UTF-8."""
    try:
        return parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=_MAX_PARAMETERS)
    except UnicodeDecodeError:
        raise UsageError("a parameter is not UTF-8") from None
    except ValueError:
        raise UsageError(f"a request has at most {_MAX_PARAMETERS} parameters") from None


def make_call(request: HttpRequest, **members: Any) -> dict[str, Any]:
    """Return a call for a process, with the headers of the caller; raise UsageError if one is invalid."""
    directory, variables = (request.headers.get(name, "") for name in (DIRECTORY_HEADER, VARIABLES_HEADER))
    read_caller(directory, variables, is_local=request.is_local)
    return {"directory": directory, "variables": variables, **members}


async def receive_body(files: CallFiles, request: HttpRequest, receive: Receive) -> None:
    """Read the body; raise a refusal if it is too long or takes too long, or if the client goes away."""
    length = request.headers.get("content-length", "0")
    if length.isascii() and length.isdigit() and int(length) > MAX_BODY:
        raise RequestError(413, f"a body has at most {MAX_BODY:,} bytes")
    start = asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout(BODY_SECONDS) as limit:
            while await _receive_piece(files, receive):
                limit.reschedule(start + BODY_SECONDS + files.size / _BODY_RATE)
    except TimeoutError:
        raise RequestError(408, "the body takes too long", "send it at once, or in smaller parts") from None


async def _receive_piece(files: CallFiles, receive: Receive) -> bool:
    """Read a piece of the body; return whether more follows."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise ClientLeftError
    files.write_body(message.get("body", b""))
    if files.size > MAX_BODY:
        raise RequestError(413, f"a body has at most {MAX_BODY:,} bytes")
    return bool(message.get("more_body"))


async def wait_for_departure(receive: Receive) -> None:
    """Return when the client closes the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


class EndedCommand(NamedTuple):
    """The command of an endpoint that has ended: its status, its messages, and whether JSON was asked for."""

    endpoint: Endpoint
    status: int
    messages: bytes
    as_json: bool


async def send_output(ended: EndedCommand, files: CallFiles, send: Send) -> None:
    """Send what a command printed, or how it failed if it printed nothing."""
    (endpoint, status, messages, as_json), size = ended, files.measure_output()
    has_output = size > 0 or status == Exit.DONE
    answer = make_answer(endpoint, status, messages, has_output=has_output, as_json=as_json)
    if has_output:
        await send_pieces(answer.status, answer.headers, files.read_output(), send, size)
        return
    body = orjson.dumps(describe_failure(status, messages)) + b"\n"
    await send_pieces(answer.status, answer.headers, [body], send)


async def send_refusal(refusal: RequestError, send: Send) -> None:
    """Send why a request is not answered; ignore a connection that is gone."""
    text = f"ctxkit: {refusal}\n" + (f"  hint: {refusal.hint}\n" if refusal.hint else "")
    status = Exit.USAGE if refusal.status < 500 else Exit.BUG
    body = orjson.dumps(describe_failure(status, text.encode("utf-8", "replace"))) + b"\n"
    with suppress(OSError):
        await send_pieces(refusal.status, describe_type(JSON_TYPE), [body], send)


def describe_type(content_type: str) -> tuple[tuple[str, str], ...]:
    """Return the headers of an answer of a type."""
    return (("content-type", content_type),)


async def send_pieces(
    status: int, headers: tuple[tuple[str, str], ...], pieces: list[bytes] | Iterator[bytes], send: Send, size: int = -1
) -> None:
    """Send an answer; ``size`` is the bytes of the pieces if they are not a list."""
    length = size if size >= 0 else sum(map(len, pieces))
    fields = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    fields.append((b"content-length", b"%d" % length))
    await send({"type": "http.response.start", "status": status, "headers": fields})
    for piece in pieces:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _make_file(*, is_small: bool) -> int:
    """Return the descriptor of a new file without a name: in memory if it ``is_small``, else on the disk."""
    if is_small and hasattr(os, "memfd_create"):
        return os.memfd_create("ctxkit", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
