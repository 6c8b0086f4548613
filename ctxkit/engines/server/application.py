"""Answer requests of HTTP as an ASGI application: read the body, let a process run the command, send its output."""

import asyncio
import hmac
import os
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import closing, suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import orjson

from ctxkit.core.errors import CtxkitError, Exit, UsageError
from ctxkit.core.serve.answer import BYTES_TYPE, JSON_TYPE, MAX_MESSAGES, describe_failure, make_answer
from ctxkit.core.serve.caller import DIRECTORY_HEADER, VARIABLES_HEADER, read_caller
from ctxkit.core.serve.endpoints import PREFIX, Endpoint, find_endpoint, make_arguments
from ctxkit.engines.server.call_files import CallFiles
from ctxkit.engines.server.worker_pool import QueueFullError, WorkerError, WorkerPool

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

MAX_BODY = 1 << 30
"""Maximum bytes of a body."""
MAX_PARAMETERS = 200
ENGINE_PATH = "/v1/engine/"
"""Beginning of the paths on which other processes of the same ctxkit ask for counts and maps."""
BUILD_HEADER = "ctxkit-build"


class RequestError(Exception):
    """A request that no command is run for: the status of HTTP, a message and a hint."""

    def __init__(self, status: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.status, self.hint = status, hint


class _Request(NamedTuple):
    method: str
    path: str
    query: str
    headers: dict[str, str]
    is_local: bool


class Application:
    """Answers the endpoints with processes of a pool.

    ``token`` is what a request over the network must carry. ``build`` names this installation: the paths for other
    processes of ctxkit answer no other.
    """

    def __init__(self, pool: WorkerPool, token: str, version: str, build: str) -> None:
        self._pool, self._token, self._version, self._build = pool, token, version, build
        self.requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        self.requests += 1
        try:
            await self._answer(_read_scope(scope), receive, send)
        except RequestError as error:
            await _send_refusal(error, send)
        except CtxkitError as error:
            await _send_refusal(RequestError(400, str(error), error.hint), send)
        except QueueFullError:
            await _send_refusal(RequestError(503, "too many requests wait"), send)
        except WorkerError as error:
            await _send_refusal(RequestError(504 if "seconds" in str(error) else 500, str(error)), send)

    async def _answer(self, request: _Request, receive: Receive, send: Send) -> None:
        self._check_sender(request)
        if request.path == f"{PREFIX}health":
            await _send(200, _describe_type(JSON_TYPE), [orjson.dumps(self._describe_health())], send)
        elif request.path.startswith(ENGINE_PATH):
            await self._answer_engine(request, receive, send)
        else:
            await self._answer_command(request, receive, send)

    def _check_sender(self, request: _Request) -> None:
        """Raise a refusal for a request over the network without the token, or from a page in a browser."""
        if "origin" in request.headers:
            raise RequestError(403, "a web page may not ask")
        if request.is_local:
            return
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        is_known = hmac.compare_digest(given.strip().encode(), self._token.encode())
        if not self._token or scheme.lower() != "bearer" or not is_known:
            raise RequestError(401, "the token is missing or wrong", "Authorization: Bearer TOKEN")

    def _describe_health(self) -> dict[str, object]:
        return {
            "version": self._version,
            "process": os.getpid(),
            "workers": self._pool.size,
            "requests": self.requests,
        }

    async def _answer_command(self, request: _Request, receive: Receive, send: Send) -> None:
        """Run the command of an endpoint, and send its output."""
        endpoint = find_endpoint(request.path)
        if endpoint is None:
            raise RequestError(404, f"no such endpoint: {request.path[:200]}", f"as in {PREFIX}gate")
        if request.method not in ("POST", "GET"):
            raise RequestError(405, f"{request.method[:20]} is not answered", "POST, with the content as the body")
        as_json = "text/plain" not in request.headers.get("accept", "")
        arguments = make_arguments(endpoint, _read_parameters(request.query), as_json=as_json)
        call = _make_call(request, arguments=arguments)
        with closing(CallFiles(is_small=endpoint.command[0] not in ("cache", "session"))) as files:
            await _receive_body(files, request, receive)
            status = await self._run(call, files, receive)
            messages = files.read_messages(MAX_MESSAGES)
            await _send_output(endpoint, status, messages, files, send, as_json=as_json)

    async def _answer_engine(self, request: _Request, receive: Receive, send: Send) -> None:
        """Count or map for another process of the same ctxkit on this machine."""
        if not request.is_local or request.headers.get(BUILD_HEADER, "") != self._build:
            raise RequestError(409, "this server is of another ctxkit")
        work = request.path.removeprefix(ENGINE_PATH)
        call = _make_call(request, work=work, parameters=dict(_read_parameters(request.query)))
        with closing(CallFiles(is_small=True)) as files:
            await _receive_body(files, request, receive)
            status = await self._run(call, files, receive)
            if status != Exit.DONE:
                raise RequestError(500, files.read_messages(MAX_MESSAGES).decode("utf-8", "replace").strip())
            await _send(200, _describe_type(BYTES_TYPE), list(files.read_output()), send)

    async def _run(self, call: dict[str, Any], files: CallFiles, receive: Receive) -> int:
        """Return the exit status of a call; end the call if its client goes away."""
        answer = asyncio.ensure_future(self._pool.answer(call, files))
        departure = asyncio.ensure_future(_wait_for_departure(receive))
        try:
            await asyncio.wait((answer, departure), return_when=asyncio.FIRST_COMPLETED)
            if not answer.done():
                raise RequestError(499, "the client has gone")
            return answer.result()
        finally:
            for task in (answer, departure):
                task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await answer


def _read_scope(scope: Scope) -> _Request:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    server = scope.get("server")
    is_local = not server or server[1] is None
    return _Request(scope["method"], scope["path"], scope["query_string"].decode("latin-1"), headers, is_local)


def _read_parameters(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, keep_blank_values=True, errors="surrogateescape", max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise UsageError(f"a request has at most {MAX_PARAMETERS} parameters") from None


def _make_call(request: _Request, **members: Any) -> dict[str, Any]:
    """Return a call for a process, with the headers of the caller; raise UsageError if one is invalid."""
    directory, variables = (request.headers.get(name, "") for name in (DIRECTORY_HEADER, VARIABLES_HEADER))
    read_caller(directory, variables, is_local=request.is_local)
    return {"directory": directory, "variables": variables, **members}


async def _receive_body(files: CallFiles, request: _Request, receive: Receive) -> None:
    """Read the body; raise a refusal if it is too long, or if the client goes away."""
    length = request.headers.get("content-length", "0")
    if length.isascii() and length.isdigit() and int(length) > MAX_BODY:
        raise RequestError(413, f"a body has at most {MAX_BODY:,} bytes")
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestError(499, "the client has gone")
        files.write_body(message.get("body", b""))
        if files.size > MAX_BODY:
            raise RequestError(413, f"a body has at most {MAX_BODY:,} bytes")
        if not message.get("more_body"):
            return


async def _wait_for_departure(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _send_output(
    endpoint: Endpoint, status: int, messages: bytes, files: CallFiles, send: Send, *, as_json: bool
) -> None:
    size = files.measure_output()
    answer = make_answer(endpoint, status, messages, has_output=size > 0 or status == Exit.DONE, as_json=as_json)
    if size or status == Exit.DONE:
        await _send(answer.status, answer.headers, files.read_output(), send, size)
        return
    body = orjson.dumps(describe_failure(status, messages)) + b"\n"
    await _send(answer.status, answer.headers, [body], send)


def _describe_type(content_type: str) -> tuple[tuple[str, str], ...]:
    return (("content-type", content_type),)


async def _send_refusal(refusal: RequestError, send: Send) -> None:
    text = f"ctxkit: {refusal}\n" + (f"  hint: {refusal.hint}\n" if refusal.hint else "")
    status = Exit.USAGE if refusal.status < 500 else Exit.BUG
    body = orjson.dumps(describe_failure(status, text.encode("utf-8", "replace"))) + b"\n"
    with suppress(OSError):
        await _send(refusal.status, _describe_type(JSON_TYPE), [body], send)


async def _send(
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
