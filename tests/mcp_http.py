"""Start the servers of ``tests.mcp_http_server``, and talk to them as ctxkit mcp wrap does, without processes."""

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from ctxkit.engines.mcp_http.bridge import ServerSession

Json = dict[str, Any]
INITIALIZE: Json = {
    "jsonrpc": "2.0",
    "id": "first",
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "1"}},
}
INITIALIZED: Json = {"jsonrpc": "2.0", "method": "notifications/initialized"}
META = {f"io.modelcontextprotocol/{name}": value for name, value in (("protocolVersion", "2026-07-28"), ("clientCapabilities", {}))}
"""What each request of the revision 2026-07-28 says."""


class HttpServer:
    """Running servers at http://127.0.0.1:PORT."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def fetch(self, path: str, body: bytes | None = None) -> bytes:
        """Return the answer to a request."""
        headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        with urlopen(Request(self.url + path, body, headers), timeout=20) as answer:
            return bytes(answer.read())

    def restart(self) -> None:
        """End all sessions."""
        self.fetch("/restart", b"")

    def list_requests(self, mark: str) -> list[Json]:
        """Return the requests whose header X-Mark is this."""
        return [request for request in json.loads(self.fetch("/log")) if request["headers"].get("x-mark") == mark]


@contextmanager
def run_http_server() -> Iterator[HttpServer]:
    """Start the servers, and end them."""
    command = [sys.executable, "-m", "tests.mcp_http_server"]
    root = Path(__file__).parents[1]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root) as process:
        assert process.stdout
        try:
            yield HttpServer(int(process.stdout.readline()))
        finally:
            process.kill()


def call(tool: str, id_: object = 1, **arguments: object) -> Json:
    """Return the call of a tool."""
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def raw(id_: object = 1, **params: object) -> Json:
    """Return a request that /raw answers as it says."""
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


Script = Callable[["ServerSession", list[bytes]], Awaitable[None]]


def talk(url: str, talks: Sequence[Json] | Script, *headers: tuple[str, str]) -> tuple[list[Any], list[str]]:
    """Return what a server sends to a client that writes lines, or follows a script, and the warnings."""
    import asyncio

    from ctxkit.engines.mcp_http.bridge import ServerSession
    from ctxkit.engines.mcp_http.http_connection import HttpConnection

    async def run() -> tuple[list[Any], list[str]]:
        lines: list[bytes] = []
        warnings: list[str] = []

        async def emit(line: bytes) -> None:
            lines.append(line)

        session = ServerSession(HttpConnection(url, headers), emit, warnings.append)
        if callable(talks):
            await talks(session, lines)
        else:
            for value in talks:
                await session.take_line(json.dumps(value).encode() + b"\n")
        await session.finish(30)
        await session.close()
        assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)
        return [json.loads(line) for line in lines], warnings

    return asyncio.run(run())
