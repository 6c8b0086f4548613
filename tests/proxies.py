"""A real ``ctxkit proxy`` for tests, and a scripted model server behind it, with HTTP from the standard library."""

import http.client
import json
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.servers import Reply, receive


@dataclass
class SentRequest:
    """A request that the model server got."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def value(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)


@dataclass
class ModelServer:
    """A model server that answers as ``answer`` says, by default with a short completion; it keeps what it was sent."""

    url: str = ""
    requests: list[SentRequest] = field(default_factory=list)
    answer: Callable[["Handler", SentRequest], None] | None = None

    @property
    def posts(self) -> list[SentRequest]:
        """Return the requests with a body."""
        return [request for request in self.requests if request.method == "POST"]


COMPLETION = {
    "id": "c",
    "object": "chat.completion",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Done."}}],
    "usage": {"prompt_tokens": 1234, "completion_tokens": 5, "total_tokens": 1239},
}


class Handler(BaseHTTPRequestHandler):
    """Answers requests of one model server."""

    protocol_version = "HTTP/1.1"
    server: Any

    def do_POST(self) -> None:
        """Keep a request, and answer it."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        request = SentRequest(self.command, self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        model: ModelServer = self.server.model
        model.requests.append(request)
        if model.answer is not None:
            model.answer(self, request)
        elif request.method == "GET":
            self.send(404, {"error": "not found"})
        else:
            self.send(200, COMPLETION)

    do_GET = do_PUT = do_DELETE = do_PATCH = do_POST  # noqa: N815 - names of http.server

    def send(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        """Answer with JSON."""
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"content-type": "application/json", **(headers or {}), "content-length": str(len(data))}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    def begin_stream(self) -> None:
        """Begin an answer in pieces."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()

    def send_piece(self, data: bytes) -> None:
        """Send a piece of it, b"" at the end."""
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


class Server(ThreadingHTTPServer):
    """Serves one model server; a client that leaves is no error."""

    daemon_threads = True
    model: ModelServer

    def handle_error(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def run_model(answer: Callable[[Handler, SentRequest], None] | None = None) -> Iterator[ModelServer]:
    """Run a model server until the block ends."""
    server = Server(("127.0.0.1", 0), Handler)
    server.model = ModelServer(f"http://127.0.0.1:{server.server_address[1]}", answer=answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server.model
    finally:
        server.shutdown()
        server.server_close()


@dataclass(frozen=True)
class RunningProxy:
    """A proxy that listens at a port."""

    port: int
    process: subprocess.Popen[str]

    def connect(self, timeout: float = 60) -> http.client.HTTPConnection:
        """Return a connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, target: str, value: Any = b"", headers: Mapping[str, str] | None = None, method: str = "POST") -> Reply:
        """Return the answer to a request, whose value is sent as JSON unless it is bytes."""
        connection = self.connect()
        try:
            body = value if isinstance(value, bytes) else json.dumps(value).encode()
            return receive(connection, method, target, body, headers)
        finally:
            connection.close()

    def chat(self, request: Any, path: str = "/v1/chat/completions", **headers: str) -> Reply:
        """Return the answer to a request of a model."""
        return self.ask(path, request, {"content-type": "application/json", **headers})

    def end(self) -> tuple[int, str]:
        """End the proxy as a service manager does; return its status and what it said."""
        self.process.terminate()
        _, err = self.process.communicate(timeout=20)
        return self.process.returncode, err


def find_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def run_proxy(ctxkit: str, home: Mapping[str, str], upstream: str, *arguments: str, **settings: Any) -> Iterator[RunningProxy]:
    """Run a proxy until the block ends."""
    port = find_port()
    place = () if "--listen" in arguments else ("--port", str(port))
    command = [ctxkit, "proxy", "--upstream", upstream, *place, *(part.replace("PORT", str(port)) for part in arguments)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=dict(home), text=True, **settings)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert f":{port}\n" in line, line + process.stderr.read()
        yield RunningProxy(port, process)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()
