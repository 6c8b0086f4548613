"""Servers of the official SDK of MCP over HTTP, for tests: ``python -m tests.mcp_http_server``, which prints its port.

``/mcp`` has sessions and streams that can be resumed, ``/json`` answers with JSON and has no sessions. ``/raw`` answers as
the ``params`` of a message say, so that a test can see faults. ``/log`` lists the requests, ``/restart`` ends all
sessions of ``/mcp`` as a restart would.
"""

import asyncio
import json
import socket
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.streamable_http import EventMessage, EventStore
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.mcp_server import make_text

server = MCPServer("tables")


class Answer(BaseModel):
    word: str


class Values(BaseModel):
    zero: float = 1.0
    count: int = 2**70


@server.tool()
def dump(rows: int) -> str:
    return make_text(rows)


@server.tool()
def values() -> Values:
    return Values()


@server.tool()
async def work(context: Context) -> str:
    for number in range(3):
        await context.report_progress(number, 3)
    return "done"


@server.tool()
async def ask(context: Context) -> str:
    result = await context.elicit("Which word?", Answer)
    return f"{result.action}: {result.data.word}" if result.action == "accept" else result.action


@server.tool()
async def leave(context: Context) -> str:
    """Close the connection before the result, which is there once the client resumes."""
    await context.close_sse_stream()
    await asyncio.sleep(0.2)
    return "resumed"


@server.tool()
async def wait(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return "waited"


class Events(EventStore):
    """Keeps all events in memory."""

    def __init__(self) -> None:
        self.events: list[tuple[str, Any]] = []

    async def store_event(self, stream_id: str, message: Any) -> str:
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str | None:
        stream = self.events[int(last_event_id) - 1][0]
        for number, (name, message) in enumerate(self.events, 1):
            if name == stream and number > int(last_event_id) and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


log: list[dict[str, Any]] = []


async def answer_raw(request: Any) -> Response:
    """Answer with the status, the headers and the pieces that a message names; break off if it says so."""
    if request.method == "GET":
        said = json.loads(request.headers.get("last-event-id") or '{"status": 405}')
    else:
        said = json.loads(await request.body()).get("params", {})
    if "redirect" in said:
        return RedirectResponse(said["redirect"], said.get("status", 307))

    async def stream() -> Any:
        for piece in said.get("pieces", []):
            yield piece.replace("$AUTHORIZATION", request.headers.get("authorization", "")).encode()
            await asyncio.sleep(said.get("pause", 0))
        if said.get("size"):
            text = ("x" * 99 + "\\n") * 100
            yield b'{"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "'
            for _ in range(said["size"] // 10_000):
                yield text.encode()
            yield b'"}]}}'
        if said.get("breaks"):
            raise RuntimeError("broken off")

    headers = {"content-type": said.get("type", "application/json"), **said.get("headers", {})}
    return StreamingResponse(stream(), said.get("status", 200), headers)


async def show_log(_: Any) -> Response:
    return JSONResponse(log)


sdk_apps: dict[str, Any] = {}


async def restart(_: Any) -> Response:
    """Forget the sessions, as a server does that starts anew."""
    server.session_manager._server_instances.clear()
    return Response("")


class Recorder:
    """Notes each request, and hands those for the SDK to its applications."""

    def __init__(self, app: Starlette) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and path not in ("/log", "/restart"):
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            log.append({"method": scope["method"], "path": path, "headers": headers})
        await sdk_apps.get(path, self.app)(scope, receive, send)


@asynccontextmanager
async def run_sessions(_: Starlette) -> Any:
    """Run both applications of the SDK, whose managers of sessions are made here."""
    async with AsyncExitStack() as stack:
        for path, rest in (("/json", {"json_response": True, "stateless_http": True}), ("/mcp", {"event_store": Events(), "retry_interval": 100})):
            sdk_apps[path] = server.streamable_http_app(streamable_http_path=path, max_request_body_size=1 << 26, **rest)
            await stack.enter_async_context(server.session_manager.run())
        yield


def main() -> None:
    """Listen on a free port of 127.0.0.1, and print it."""
    listener = socket.socket(proto=socket.IPPROTO_TCP)  # of others asyncio delays what it sends
    listener.bind(("127.0.0.1", 0))
    listener.listen()  # who connects before the server runs waits
    print(listener.getsockname()[1], flush=True)
    raw = Route("/raw", answer_raw, methods=["POST", "GET", "DELETE"])
    app = Starlette(routes=[raw, Route("/log", show_log), Route("/restart", restart, methods=["POST"])], lifespan=run_sessions)
    uvicorn.Server(uvicorn.Config(Recorder(app), log_level="critical", timeout_graceful_shutdown=1)).run([listener])


if __name__ == "__main__":
    main()
