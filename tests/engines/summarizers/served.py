"""A server with OpenAI's interface that answers as it is told, and remembers what it was asked."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers), None))  # type: ignore[attr-defined]
        self.answer(200, {"data": [{"id": "small", "meta": {"n_ctx": 4096}}, {"id": "other"}]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))  # type: ignore[attr-defined]
        self.answer(*self.server.call)  # type: ignore[attr-defined]

    def answer(self, status, value):
        if callable(value):
            self.send_response(status)
            self.end_headers()
            value(self.wfile)
            return
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """Let a client go that has heard enough."""


def saying(words):
    """Return the response that says something."""
    return (200, {"choices": [{"message": {"role": "assistant", "content": words}}]})


@contextmanager
def served(words="# Context"):
    with Server(("127.0.0.1", 0), Handler) as made:
        made.block_on_close = False
        made.seen, made.call = [], saying(words)  # type: ignore[attr-defined]
        made.address = f"http://127.0.0.1:{made.server_port}/v1"  # type: ignore[attr-defined]
        Thread(target=made.serve_forever, daemon=True).start()
        try:
            yield made
        finally:
            made.shutdown()
