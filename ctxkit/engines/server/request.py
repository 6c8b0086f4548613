"""Read requests of HTTP: the head, the body, and the call that a process answers."""

import asyncio
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from ctxkit.core.errors import UsageError
from ctxkit.core.serve.caller import DIRECTORY_HEADER, VARIABLES_HEADER, read_caller
from ctxkit.engines.server.call_files import CallFiles
from ctxkit.engines.server.exchange import Receive, Scope

MAX_BODY = 1 << 30
"""Maximum bytes of a body."""
MAX_PARAMETERS = 200
BODY_SECONDS, BODY_RATE = 30.0, 1 << 16
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
        return parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=MAX_PARAMETERS)
    except UnicodeDecodeError:
        raise UsageError("a parameter is not UTF-8") from None
    except ValueError:
        raise UsageError(f"a request has at most {MAX_PARAMETERS} parameters") from None


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
                limit.reschedule(start + BODY_SECONDS + files.size / BODY_RATE)
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
