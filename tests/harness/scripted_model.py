"""A model that follows a script, behind Anthropic's Messages API on the loopback."""

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

USAGE = {"input_tokens": 1000, "output_tokens": 10}


class ScriptedModel:
    """Answers each request with the step after the tool results in it: a tool call (name, input), else a text.

    ``results`` are the tool results of the longest request, in order: what a model would have seen. ``requests`` are
    the bodies of all requests.
    """

    def __init__(self, calls: Sequence[tuple[str, dict[str, Any]]]) -> None:
        self.calls, self.results = calls, list[str]()
        self.requests: list[dict[str, Any]] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            """Speaks the part of the API that a host uses."""

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name of the base class)
                """Print nothing."""

            def do_POST(self) -> None:
                """Answer a request."""
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if "count_tokens" in self.path:
                    self._send("application/json", json.dumps({"input_tokens": 100}).encode())
                    return
                model.requests.append(body)
                events = model.answer(body)
                data = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
                self._send("text/event-stream", data.encode())

            def do_GET(self) -> None:
                """Answer a question about the server itself."""
                self._send("application/json", b"{}")

            def do_HEAD(self) -> None:
                """Answer a question about the server itself."""
                self._send("application/json", b"")

            def _send(self, content_type: str, data: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "ScriptedModel":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the events of the answer to a request."""
        messages = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
        parts = [part for content in messages for part in content if part["type"] == "tool_result"]
        results = [_read_text(part.get("content", "")) for part in parts]
        if len(results) > len(self.results):
            self.results = results
        call = self.calls[len(results)] if body.get("tools") and len(results) < len(self.calls) else None
        yield {"type": "message_start", "message": _make_message(body["model"])}
        yield from _make_block(call, len(results))
        yield {"type": "content_block_stop", "index": 0}
        stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        yield {"type": "message_delta", "delta": stop, "usage": USAGE}
        yield {"type": "message_stop"}


def _make_message(model: str) -> dict[str, Any]:
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": []}
    return {**head, "stop_reason": None, "stop_sequence": None, "usage": USAGE}


def _make_block(call: tuple[str, dict[str, Any]] | None, number: int) -> Iterator[dict[str, Any]]:
    """Yield the start and the only piece of a content block."""
    if call is None:
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "done"}
    else:
        block = {"type": "tool_use", "id": f"toolu_{number:04}", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}


def _read_text(content: str | list[dict[str, Any]]) -> str:
    """Return the text of a tool result."""
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
