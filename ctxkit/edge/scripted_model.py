"""A model that follows a script, behind the APIs of several vendors on the loopback."""

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from ctxkit.core.hosts.model_apis import Body, Call, find_dialect, make_answer

POLL_SECONDS = 0.05
"""Seconds until the server sees that it is to end."""


class ScriptedModel:
    """Answers each request with the step after the tool results in it: a tool call (name, input), else a text.

    ``results`` are the tool results of the longest request, in order: what a model would have seen. ``requests`` are
    the bodies of all requests, and ``tools`` the names of the tools in the last one. ``forgets`` is for a host that
    compacts: each call is then made once, whatever results a request still has.
    """

    def __init__(self, calls: Sequence[Call], *, forgets: bool = False) -> None:
        self.calls, self.results, self.forgets, self.call_count = calls, list[str](), forgets, 0
        self.requests: list[dict[str, Any]] = []
        self.tools: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": self}))
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def restart(self, calls: Sequence[Call]) -> None:
        """Begin anew with other calls, for a host that starts again."""
        self.calls, self.results, self.call_count = calls, [], 0

    def choose_call(self, _body: Body, results: list[str], tools: list[str]) -> Call | None:
        """Return the next call for a request, None if there is none or the request has no such tool."""
        self.tools = tools or self.tools
        if len(results) > len(self.results):
            self.results = results
        number = self.call_count if self.forgets else len(results)
        call = self.calls[number] if number < len(self.calls) else None
        call = call if call and call[0] in tools else None
        self.call_count += call is not None
        return call


class _Handler(BaseHTTPRequestHandler):
    """Speaks the part of the APIs that a host uses, for the model of a subclass."""

    model: "ScriptedModel"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name of the base class)
        """Print nothing."""

    def do_POST(self) -> None:
        """Answer a request."""
        body = json.loads(self._read_body() or b"{}")
        dialect = find_dialect(self.path)
        if dialect is None:
            self._send("application/json", json.dumps({"input_tokens": 100, "totalTokens": 100}).encode())
            return
        self.model.requests.append(body)
        results = dialect.list_results(body)
        call = self.model.choose_call(body, results, dialect.list_tools(body))
        number = self.model.call_count if self.model.forgets else len(results)
        self._send(*make_answer(dialect, body, call, number))

    def do_GET(self) -> None:
        """Answer a question about the server itself."""
        models = {"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []}
        self._send("application/json", json.dumps(models).encode())

    def do_HEAD(self) -> None:
        """Answer a question about the server itself."""
        self._send("application/json", b"")

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _send(self, content_type: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
